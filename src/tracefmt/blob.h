/* SPDX-License-Identifier: MIT */
/* blob.h - the "tracing data" of a perf.data, which holds all formats of its recorder */
#ifndef TRACEFMT_BLOB_H
#define TRACEFMT_BLOB_H

#include "tracefmt/format_list.h"
#include "tracefmt/tracefmt.h"

/* All but the formats; texts are views. */
struct tracing_blob {
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;          /* of the recorder's machine */
	size_t formats_at;           /* offset of the formats of system "ftrace" */
	bool by_system;              /* the lists of the other systems have begun */
	bool has_cmdlines;           /* version 0.6 and newer */
	struct sonde_str header_page, header_event, kallsyms, printk, cmdlines;
};

/* The first items, up to the page size; from there on the cursor reads in the order of the blob. */
int tracing_blob_head(struct cursor *c, struct tracing_blob *out);

/**
 * tracing_blob_rest - calls @fn for each format that is whole, and takes the texts
 * Returns 0, -SONDE_CORRUPT, -SONDE_TRUNCATED, or the result of @fn that was not 0. What comes before damage is set.
 */
int tracing_blob_rest(struct cursor *c, struct tracing_blob *out, format_list_fn fn, void *ctx);

/**
 * tracefmt_open - the set in the "tracing data" of a perf.data: feature 1, or what follows record 66
 * @blob: only read during the call
 * @file_offset: of @blob, for messages
 * @out: set on success, and to what could be read of a damaged blob when -SONDE_CORRUPT or -SONDE_TRUNCATED is returned
 *       (NULL if that is nothing); the caller's to free
 */
int tracefmt_open(struct sonde_bytes blob, uint64_t file_offset, struct tracefmt **out, struct sonde_error *err);

#endif
