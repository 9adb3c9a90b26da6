/* SPDX-License-Identifier: MIT */
/* fmap.h - a whole file as bytes: mapped when it is a regular file. */
#ifndef BASE_FMAP_H
#define BASE_FMAP_H

#include <stdbool.h>

#include "base/err.h"

struct fmap {
	const uint8_t *data;         /* NULL when size is 0 */
	size_t size;
	bool mapped;                 /* munmap at the end, not free */
	bool borrowed;               /* the caller's: neither */
};

/* Maps the regular file behind fd (which may be closed afterwards). */
int fmap_fd(struct fmap *m, int fd, struct sonde_error *err);

/* Maps, or for /proc and /sys files that have no size, reads. At most max bytes are read then. */
int fmap_path(struct fmap *m, const char *path, size_t max, struct sonde_error *err);

void fmap_close(struct fmap *m);

#endif
