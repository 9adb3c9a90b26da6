/* SPDX-License-Identifier: MIT */
/*
 * scan.h - numbers of DWARF, one after the other
 *
 * A cursor (base/cursor.h) without a place and an error: entries are read by the million. After the first read that
 * does not fit, every later one fails too and gives zero.
 */
#ifndef SYMBOL_DWARF_SCAN_H
#define SYMBOL_DWARF_SCAN_H

#include <stddef.h>

#include "base/bytes.h"

struct dwarf_scan {
	const uint8_t *p, *end;
	bool swap;                   /* file order is not the host's */
	bool failed;
};

/* From an offset in n bytes to their end; has failed if it is not inside. */
static inline struct dwarf_scan scan_from(const uint8_t *p, size_t n, uint64_t offset, bool swap)
{
	if (offset > n || !p)
		return (struct dwarf_scan){ .failed = true };
	return (struct dwarf_scan){ .p = p + offset, .end = p + n, .swap = swap };
}

static inline void scan_fail(struct dwarf_scan *s)
{
	s->p = s->end;
	s->failed = true;
}

static inline size_t scan_left(const struct dwarf_scan *s)
{
	return (size_t)(s->end - s->p);
}

static inline void scan_skip(struct dwarf_scan *s, uint64_t n)
{
	if (n > scan_left(s))
		scan_fail(s);
	else
		s->p += n;
}

static inline uint8_t scan_u8(struct dwarf_scan *s)
{
	if (s->p == s->end) {
		s->failed = true;
		return 0;
	}
	return *s->p++;
}

/* An unsigned number of 1 to 8 bytes. */
static inline uint64_t scan_uint(struct dwarf_scan *s, unsigned size)
{
	const uint8_t *p = s->p;

	if (size > scan_left(s)) {
		scan_fail(s);
		return 0;
	}
	s->p += size;
	if (size == 3)
		return s->swap != host_is_big_endian() ? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2] :
							 (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	return load_integer(p, size, false, s->swap);
}

/* LEB128 numbers of more than one byte. Bits above 64 are lost. */
uint64_t scan_uleb_long(struct dwarf_scan *s);
int64_t scan_sleb(struct dwarf_scan *s);

static inline uint64_t scan_uleb(struct dwarf_scan *s)
{
	return s->p != s->end && *s->p < 0x80 ? *s->p++ : scan_uleb_long(s);
}

static inline void scan_skip_leb(struct dwarf_scan *s)
{
	while (scan_u8(s) & 0x80)
		;
}

static inline void scan_skip_string(struct dwarf_scan *s)
{
	const uint8_t *nul = s->p != s->end ? memchr(s->p, 0, scan_left(s)) : NULL;

	if (nul)
		s->p = nul + 1;
	else
		scan_fail(s);
}

/* The length of a unit or table; sets the size of its offsets, 4 or 8. Fails for reserved lengths. */
uint64_t scan_length(struct dwarf_scan *s, uint8_t *offset_size);

#endif
