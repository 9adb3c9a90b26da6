/* SPDX-License-Identifier: MIT */
#include "symbol/list/perfmap.h"

#include <string.h>

/* A hex number, with or without 0x, and the blanks behind it. */
static bool next_number(const char **at, const char *end, uint64_t *v)
{
	const char *p = *at;
	int digits = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (*v = 0; p < end && *p != ' ' && *p != '\t'; p++, digits++) {
		char c = *p | 0x20;

		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uint64_t)(*p - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*at = p;
	return digits > 0 && digits <= 16;
}

size_t perfmap_add(struct symtab_builder *b, const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	size_t bad = 0;

	while (p < end && !b->failed) {
		const char *stop = memchr(p, '\n', (size_t)(end - p)), *begin = p, *line = p;
		struct symtab_raw raw = { .binding = SYMTAB_GLOBAL };
		uint64_t bytes;

		p = stop ? stop + 1 : end;
		stop = stop ? stop : end;
		while (stop > begin && (stop[-1] == '\r' || stop[-1] == ' '))
			stop--;
		if (!next_number(&line, stop, &raw.start) || !next_number(&line, stop, &bytes) || line == stop ||
		    !bytes || bytes > UINT64_MAX - raw.start || memchr(line, 0, (size_t)(stop - line))) {
			bad += stop > begin;
			continue;
		}
		raw.size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
		raw.name = symtab_builder_name(b, line, (size_t)(stop - line));
		symtab_builder_add(b, &raw);
	}
	return bad;
}
