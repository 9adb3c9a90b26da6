/* SPDX-License-Identifier: MIT */
/* fmap.h - a whole file as bytes. They are read, not mapped: a file that becomes shorter raises no SIGBUS. */
#ifndef BASE_FMAP_H
#define BASE_FMAP_H

#include <stdbool.h>

#include "base/err.h"

struct fmap {
	const uint8_t *data;         /* malloced; NULL when size is 0 */
	size_t size;
	bool borrowed;               /* the caller's: not freed */
};

/* Reads the regular file behind fd (which may be closed afterwards). */
int fmap_fd(struct fmap *m, int fd, struct sonde_error *err);

/* The same by its path. Of files of /proc and /sys, which have no size, at most max bytes are read. */
int fmap_path(struct fmap *m, const char *path, size_t max, struct sonde_error *err);

void fmap_close(struct fmap *m);

#endif
