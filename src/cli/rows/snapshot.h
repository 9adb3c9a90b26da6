/* SPDX-License-Identifier: MIT */
/* snapshot.h - a file with the profile that a screen shows */
#ifndef CLI_ROWS_SNAPSHOT_H
#define CLI_ROWS_SNAPSHOT_H

#include <sonde/export.h>

/* Writes the format that the end of the name tells. @told: a sentence about the outcome. */
void snapshot_write(struct sonde_profile *p, const struct sonde_export_opts *opts, const char *name, char *told,
		    size_t size);

#endif
