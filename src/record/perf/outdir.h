/* SPDX-License-Identifier: MIT */
/* outdir.h - a recording that is a directory: `data`, other files of records, kcore_dir with a copy of the kernel */
#ifndef RECORD_PERF_OUTDIR_H
#define RECORD_PERF_OUTDIR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct outdir {
	const char *path;            /* NULL: the recording is a file */
	const char *data;            /* the file of the records */
	bool kept_old;               /* a recording of this name was renamed to PATH.old */
};

/*
 * Makes the directory and copies the kernel. A recording that is there already is renamed to PATH.old, in the place of
 * an older one. @proc: "/proc", or NULL: the kernel is not copied; names are placed in @a
 */
int outdir_make(struct outdir *d, const char *path, const char *proc, struct arena *a, struct sonde_error *err);

/* Nothing was recorded: removes the directory and restores the old one. */
void outdir_discard(struct outdir *d);

#endif
