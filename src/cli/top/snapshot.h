/* SPDX-License-Identifier: MIT */
/* snapshot.h - a file with what a live profile has gathered */
#ifndef CLI_TOP_SNAPSHOT_H
#define CLI_TOP_SNAPSHOT_H

#include <sonde/export.h>

#include "cli/top/live.h"

/* Writes the format that the end of the name tells. @told: a sentence about the outcome. The lock is held. */
void snapshot_write(struct live *l, const struct sonde_export_opts *opts, const char *name, char *told, size_t size);

#endif
