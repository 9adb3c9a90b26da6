/* SPDX-License-Identifier: MIT */
/* repair.h - a sound perf.data out of a damaged one. */
#ifndef PERFDATA_REWRITE_REPAIR_H
#define PERFDATA_REWRITE_REPAIR_H

#include "perfdata/rewrite/rewrite.h"

/* See struct rewriter. */
int perfdata_repair(struct sonde_rewrite *handle, struct image *im, const char *out);

#endif
