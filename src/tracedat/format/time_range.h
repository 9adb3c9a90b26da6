/* SPDX-License-Identifier: MIT */
/* time_range.h - the part of an extent that a time range is in, without reading the rest */
#ifndef TRACEDAT_FORMAT_TIME_RANGE_H
#define TRACEDAT_FORMAT_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Access to an extent. */
struct time_range_ops {
	/* The time of a page of which n bytes are there: 1, 0 if it has no events, -1 if it is none. */
	int (*time_of)(void *ctx, const uint8_t *page, size_t n, uint64_t *time);
	/* The first n bytes of the page at an offset, in @room or where they are; NULL if they cannot be read. */
	const uint8_t *(*header)(void *ctx, uint64_t at, uint8_t *room, size_t n);
	/* From an offset on: bytes of whole pages that are a hole of the file. */
	uint64_t (*hole)(void *ctx, uint64_t at, uint64_t end, uint32_t page_size);
	/* The compressed and the decompressed size of the chunk at an offset. False if it cannot be read. */
	bool (*chunk)(void *ctx, uint64_t at, uint32_t *packed, uint32_t *size);
	/* Its pages, @size bytes, until the next call; NULL if they cannot be read, or too much was decompressed. */
	const uint8_t *(*unpack)(void *ctx, uint64_t at, uint32_t packed, uint32_t size);
};

/* An extent from @at on; narrowed to the range. */
struct time_range_extent {
	uint64_t at, end;            /* file offsets */
	uint32_t nr_chunks;          /* compressed ones */
	bool packed;                 /* else there are pages */
	uint32_t page_size, header_bytes;
};

/* Leaves out nothing that happened from @min to @max. 0 or -SONDE_NOMEM. */
int dat_time_range_narrow(struct time_range_extent *extent, const struct time_range_ops *ops, void *ctx, uint64_t min,
			  uint64_t max);

#endif
