/* SPDX-License-Identifier: MIT */
/* writer.h - a perf.data as a sink: a file, or a stream of records alone. */
#ifndef PERFDATA_WRITE_WRITER_H
#define PERFDATA_WRITE_WRITER_H

#include "base/err.h"
#include "model/sink.h"

/**
 * writer_file - a new file at @path, for its owner only
 * A regular file that is there already is renamed to @path.old, unless it is empty. Nothing is written through a
 * symbolic link. A fifo or a character device (/dev/null) gets a stream. *out is owned: out->ops->free().
 */
int writer_file(const char *path, struct sink **out, struct sonde_error *err);

/** writer_part - records alone, for a file data.N beside the file `data` of a directory; as writer_file() otherwise */
int writer_part(const char *path, struct sink **out, struct sonde_error *err);

/** writer_stream - pipe mode into @fd, which stays the caller's */
int writer_stream(int fd, struct sink **out, struct sonde_error *err);

#endif
