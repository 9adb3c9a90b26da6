/* SPDX-License-Identifier: MIT */
/* repair_files.h - the files of a killed recorder's CPUs, beside the input */
#ifndef TRACEDAT_REWRITE_REPAIR_FILES_H
#define TRACEDAT_REWRITE_REPAIR_FILES_H

#include <time.h>

#include "tracedat/rewrite/rewrite.h"

/* The files of a killed recorder's CPUs that lie beside the input, if it has no pages itself; *others
 * is freed by the caller */
struct repair_files {
	VEC(struct dat_file *) at;
};
int dat_repair_find_files(struct dat_rewrite *w, struct repair_files *others);
void dat_repair_files_free(struct repair_files *others);
/* How many such files lie beside @path, which need not be there itself. *oldest: when the first of
 * them was written last. */
size_t dat_repair_count_files(const char *path, time_t *oldest);

#endif
