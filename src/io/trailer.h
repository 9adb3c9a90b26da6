/* SPDX-License-Identifier: MIT */
/*
 * trailer.h - the last bytes of a recording with a bundle: the size of the recording, and the place of the bundle's
 * directory (docs/bundle.md)
 */
#ifndef IO_TRAILER_H
#define IO_TRAILER_H

#include "base/err.h"

enum { TRAILER_BYTES = 48, TRAILER_MAGIC_BYTES = 8 };

/* At both ends of the trailer, and at the begin of the bundle. */
#define TRAILER_MAGIC "SNDBNDL1"

/* The bundle begins at a multiple of this. */
#define TRAILER_ALIGN 4096

struct trailer {
	uint64_t directory, directory_size;
	uint64_t recording;          /* bytes of it, from 0 on */
	uint64_t hash;               /* of the directory */
};

/* Shows damage, not malice; the same on every host. */
uint64_t trailer_hash(const void *p, size_t n);

void trailer_encode(uint8_t p[TRAILER_BYTES], const struct trailer *t);

/* False: the last bytes of a file of that size are no trailer. */
bool trailer_decode(struct trailer *t, const uint8_t p[TRAILER_BYTES], uint64_t file_size);

/* The trailer of a regular file; false if it has none. */
bool trailer_read(struct trailer *t, int fd, uint64_t file_size);

/* The bytes of a file that are the recording: all of them where there is no trailer. */
uint64_t trailer_recording(int fd, uint64_t file_size);

/* Whether @p, behind a recording, is the begin of a bundle. In a file without a trailer, the end of it is missing. */
bool trailer_begins_at(const uint8_t *p, size_t n);

#endif
