/* SPDX-License-Identifier: MIT */
/*
 * archive.h - binaries from archives that `perf archive` has made: a compressed tar with files of perf's cache
 *
 * An archive cannot be read from its middle, so it is read once, when the first file is missing, and its files are kept
 * in memory. Nothing is unpacked to the disk.
 */
#ifndef SYMBOL_ARCHIVE_H
#define SYMBOL_ARCHIVE_H

#include <limits.h>

#include <sonde/types.h>

#include "base/buf.h"

struct archives;

/* @given is read; NULL: the archives beside the recording, when it is known. NULL when out of memory. */
struct archives *archives_new(const char *given);

/* The first recording tells. 0 or -SONDE_NOMEM. */
int archives_beside(struct archives *a, const char *recording);

/*
 * A file of perf's cache by the build id: "elf", "debug", "vdso" or "kallsyms". Its bytes are malloced and belong to
 * the caller; @path names it for people. False if it is not there. Several threads may ask.
 */
bool archives_take(struct archives *a, const uint8_t *id, size_t id_size, const char *member, char path[PATH_MAX],
		   void **bytes, size_t *size);

/*
 * Whether an archive that has been read has another build of the binary at @path than that of the id; @out gets a
 * sentence that names both.
 */
bool archives_have_other_build(struct archives *a, const char *path, const uint8_t *id, size_t id_size,
			       struct buf *out);

/* Why an archive could not be read, or not all of it; "" if there is nothing to say. As long as the archives. */
const char *archives_failure(struct archives *a);

void archives_free(struct archives *a);

#endif
