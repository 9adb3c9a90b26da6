/* SPDX-License-Identifier: MIT */
/* blob.h - the "tracing data" of a perf.data, which holds all formats of its recorder */
#ifndef TRACEFMT_BLOB_H
#define TRACEFMT_BLOB_H

#include "tracefmt/tracefmt.h"

/**
 * tracefmt_open - the set in the "tracing data" of a perf.data: feature 1, or what follows record 66
 * @blob: only read during the call
 * @file_offset: of @blob, for messages
 * @out: set on success, and to what could be read of a damaged blob when -SONDE_CORRUPT or -SONDE_TRUNCATED is returned
 *       (NULL if that is nothing); the caller's to free
 */
int tracefmt_open(struct sonde_bytes blob, uint64_t file_offset, struct tracefmt **out, struct sonde_error *err);

#endif
