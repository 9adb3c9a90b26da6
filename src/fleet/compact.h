/* SPDX-License-Identifier: MIT */
/* compact.h - compaction of a data set: few large files replace its many small ones */
#ifndef FLEET_COMPACT_H
#define FLEET_COMPACT_H

#include <sonde/fleet.h>

#include "base/err.h"

/* See sonde_fleet_compact(). @opts has all members; @done is not NULL and begins with 0. */
int fleet_compact(const char *set, const struct sonde_fleet_compact_opts *opts, struct sonde_fleet_compacted *done,
		  struct sonde_error *err);

#endif
