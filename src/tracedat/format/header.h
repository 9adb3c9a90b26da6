/* SPDX-License-Identifier: MIT */
/*
 * header.h - the first bytes of a trace.dat
 *
 *	u8[3] 0x17 0x08 0x44, "tracing"; version "7\0"; u8 big endian; u8 size of long of the recorder; u32 page size
 *	version 7: compression "zstd\0", its version "1.5.4\0"; u64 offset of the first options section
 */
#ifndef TRACEDAT_FORMAT_HEADER_H
#define TRACEDAT_FORMAT_HEADER_H

#include "base/cursor.h"

struct dat_header {
	uint32_t version;            /* 6 or 7 */
	bool big_endian, swap;
	uint8_t long_size;           /* of the recorder's user space; the kernel's is in header_page */
	uint32_t page_size;          /* of version 6; in version 7 every buffer has its own */
	struct sonde_str compression, compression_version;  /* "none" in version 6 */
	uint64_t options;            /* 0: the recorder never finished the file */
	uint64_t end;                /* where sections, or the metadata of version 6, begin */
};

/* The largest page; sub-buffers of today's kernels have at most some 100 KiB. */
#define PAGE_SIZE_MIN 64
#define PAGE_SIZE_MAX (16u << 20)

bool dat_header_probe(const uint8_t *p, size_t n);
int dat_header_decode(const uint8_t *p, size_t n, struct dat_header *out, struct sonde_error *err);

#endif
