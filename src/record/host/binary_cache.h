/* SPDX-License-Identifier: MIT */
/*
 * binary_cache.h - copies of recorded binaries in a directory as perf's ~/.debug: PATH/ID/elf, to which
 * .build-id/XX/REST leads
 *
 * A thread of its own copies, because a binary may be large. A file is opened at once: it may be gone a moment later.
 */
#ifndef RECORD_HOST_BINARY_CACHE_H
#define RECORD_HOST_BINARY_CACHE_H

#include "base/err.h"
#include "record/host/build_id.h"

struct binary_cache;

/* @dir: "" for ~/.debug. NULL with @err: it cannot be had. */
struct binary_cache *binary_cache_new(const char *dir, struct sonde_error *err);

/* Adds the file at @path, which the recording names @name. One that is there already is not copied again. */
void binary_cache_add(struct binary_cache *c, const char *path, const char *name, const uint8_t *id, uint8_t id_size);

/* Waits for the last copy. How many could not be made; @err tells of the first of them. NULL is accepted: 0. */
size_t binary_cache_finish(struct binary_cache *c, struct sonde_error *err);

/* After binary_cache_finish(), or instead of it. */
void binary_cache_free(struct binary_cache *c);

#endif
