/* SPDX-License-Identifier: MIT */
/* reader.h - the pages of one CPU of one ring buffer, from the kernel to the file. */
#ifndef RECORD_FTRACE_READER_H
#define RECORD_FTRACE_READER_H

#include <sonde/ftrace_recorder.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/page_sink.h"

/* The means to carry pages for all readers of a thread, so that each of hundreds of CPUs needs one file. Empty between
 * two calls. */
struct page_carrier {
	uint8_t *block;              /* where pages are read to */
	size_t block_bytes;
	int pipe[2];                 /* splice: between the ring and the file; -1: there is none */
	size_t pipe_bytes;
};

#define PAGE_CARRIER_NONE ((struct page_carrier){ .pipe = { -1, -1 } })

/* @max_page: of the readers that will use it; @splice: with a pipe, if one can be had. 0 or -SONDE_NOMEM. */
int page_carrier_open(struct page_carrier *c, uint32_t max_page, bool splice);
void page_carrier_close(struct page_carrier *c);

struct ring_meta;
struct buffer_reader {
	struct page_sink *sink;
	struct page_carrier *by;     /* set before the first page is taken */
	size_t buffer, cpu_index;    /* in the sink */
	uint32_t page_size;
	enum sonde_ftrace_reader how;
	int fd;                      /* trace_pipe_raw */
	struct page_extent extent;
	bool has_extent;
	uint64_t used;               /* bytes of the extent */

	size_t filled;               /* bytes of the carrier's block that are to be written at used - filled */
	const volatile struct ring_meta *meta;   /* mapped */
	const uint8_t *pages;
	size_t meta_bytes, pages_bytes;
	uint32_t page_id;            /* of the page that was taken last; it may have got more since */
};

#define PAGE_READER_NONE ((struct buffer_reader){ .fd = -1, .page_id = UINT32_MAX })

/* Opens per_cpu/cpuN/trace_pipe_raw in @dir; r->sink, buffer, cpu_index and page_size are set. 0 or a negative
 * errno. */
int page_reader_open(struct buffer_reader *r, const char *dir, int32_t cpu, enum sonde_ftrace_reader how);

/**
 * page_reader_take - move what waits to the file
 * @tail: also a page that is not full yet
 * @max_bytes: not much more than that
 * Returns how many bytes that was, or negative when nothing can be written any more.
 */
ssize_t page_reader_take(struct buffer_reader *r, bool tail, uint64_t max_bytes, struct sonde_error *err);
void page_reader_close(struct buffer_reader *r);

#endif
