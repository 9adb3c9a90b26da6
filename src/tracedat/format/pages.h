/* SPDX-License-Identifier: MIT */
/* pages.h - the pages of an extent, run by run: read from one file, written to another */
#ifndef TRACEDAT_FORMAT_PAGES_H
#define TRACEDAT_FORMAT_PAGES_H

#include "io/output.h"
#include "tracedat/format/clock.h"
#include "tracedat/format/file.h"

struct page_reader {
	struct dat_file *f;
	const struct dat_buffer *buffer;
	uint64_t at, end;            /* file offsets of the pages that have not been read */
	uint32_t nr_chunks;          /* compressed: chunks that are still to come */
	const struct dat_bytes *more;        size_t nr_more;  /* what follows, if it is not compressed */
	bool resync;                 /* after damage, look for where the next chunk can begin */
	uint8_t *room;
	size_t cap;
	/* the last page was empty: perhaps a hole of the file, whose pages are not given */
	bool in_hole;
	/* chunks that cannot be decompressed, or are missing; where the first one is */
	uint64_t nr_damaged, damaged_at;
};

/* Whole pages, except for the last page of an extent that was cut. */
struct page_run {
	const uint8_t *p;
	size_t n;
	uint64_t at;                 /* file offset; of a chunk that of the chunk */
	bool packed;
};

/* From @at to @end of a file: bytes of whole pages that the file system knows to be a hole with data behind it. */
uint64_t dat_pages_hole(int fd, uint64_t at, uint64_t end, uint32_t page_size);

void dat_pages_start(struct page_reader *r, struct dat_file *f, const struct dat_buffer *b, const struct dat_extent *a);
/* 1, 0 at the end, negative when nothing more can be read: memory, or the disk. */
int dat_pages_next(struct page_reader *r, struct page_run *out, struct sonde_error *err);
void dat_pages_end(struct page_reader *r);

/* The pages of one extent on their way into a file. */
struct page_writer {
	struct output *to;
	bool swap;
	uint32_t page_size;
	struct packer *packer;     /* NULL: pages are written as they are */
	uint64_t at;                 /* where the extent begins: with its first page, at a multiple of @align */
	uint32_t align;
	bool begun;
	uint8_t *chunk;              /* compressed: what has not been written yet */
	size_t nr_chunk, chunk_bytes;
	uint32_t nr_chunks;
	uint64_t bytes;              /* of pages, so far */
};

int dat_page_writer_start(struct page_writer *w, struct output *to, uint32_t page_size, bool swap,
			  struct packer *packer, struct sonde_error *err);
/* n bytes of pages; whole pages, but for the last. */
int dat_page_writer_put(struct page_writer *w, const void *p, size_t n, struct sonde_error *err);
/* n bytes of an image as they are: pages, or @nr_chunks chunks if the file is compressed. */
int dat_page_writer_copy(struct page_writer *w, struct image *im, uint64_t at, uint64_t n, uint32_t nr_chunks,
			 struct sonde_error *err);
/* The extent is whole: *n is its size in the file, 0 and w->at too if no page came.
 * dat_page_writer_free() in any case. */
int dat_page_writer_finish(struct page_writer *w, uint64_t *n, struct sonde_error *err);
void dat_page_writer_free(struct page_writer *w);

#endif
