/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/scan.h"

uint64_t scan_uleb_long(struct dwarf_scan *s)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		byte = scan_u8(s);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
	}
	return v;
}

int64_t scan_sleb(struct dwarf_scan *s)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; byte & 0x80; shift += 7) {
		byte = scan_u8(s);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (byte & 0x40 && shift < 64)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

uint64_t scan_length(struct dwarf_scan *s, uint8_t *offset_size)
{
	uint64_t length = scan_uint(s, 4);

	*offset_size = length == 0xffffffff ? 8 : 4;
	if (*offset_size == 8)
		length = scan_uint(s, 8);
	else if (length >= 0xfffffff0)
		scan_fail(s);
	return length;
}
