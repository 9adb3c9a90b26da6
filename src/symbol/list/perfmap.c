/* SPDX-License-Identifier: MIT */
#include "symbol/list/perfmap.h"

#include <stdlib.h>
#include <string.h>

/* A hex number, with or without 0x, and the blanks after it. */
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

/* The ends of the ranges, sorted: between two of them all addresses are alike. */
struct cells {
	uint64_t *at;
	uint32_t *next;              /* by cell: itself, or a later cell if a range covers it */
	bool *begins;                /* by cell: a range begins with it */
	size_t n;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool cells_make(struct cells *c, const struct symtab_raw *raw, size_t n)
{
	size_t kept = 0;

	c->at = malloc(2 * n * sizeof(*c->at) + 1);
	c->next = malloc(2 * n * sizeof(*c->next) + 1);
	c->begins = calloc(2 * n + 1, sizeof(*c->begins));
	if (!c->at || !c->next || !c->begins)
		return false;
	if (!n)
		return true;
	for (size_t i = 0; i < n; i++) {
		c->at[2 * i] = raw[i].start;
		c->at[2 * i + 1] = raw[i].start + raw[i].size;
	}
	qsort(c->at, 2 * n, sizeof(*c->at), by_number);
	for (size_t i = 0; i < 2 * n; i++)
		if (!kept || c->at[kept - 1] != c->at[i])
			c->at[kept++] = c->at[i];
	c->n = kept;
	for (uint32_t i = 0; i < kept; i++)
		c->next[i] = i;
	return true;
}

static uint32_t cell_of(const struct cells *c, uint64_t addr)
{
	const uint64_t *found = bsearch(&addr, c->at, c->n, sizeof(*c->at), by_number);

	return (uint32_t)(found - c->at);
}

/* The first cell from this one on that no range covers. */
static uint32_t uncovered(struct cells *c, uint32_t cell)
{
	while (c->next[cell] != cell) {
		c->next[cell] = c->next[c->next[cell]];
		cell = c->next[cell];
	}
	return cell;
}

/*
 * Of lines that overlap the later one holds, because memory is used again: an earlier one begins after the later ones
 * that cover its start, and is gone if one begins where it does. A line within an earlier one needs nothing: a look-up
 * finds the symbol that begins last.
 */
static bool let_later_win(struct symtab_raw *raw, size_t n, size_t *kept)
{
	struct cells c = { 0 };
	bool made = cells_make(&c, raw, n);

	for (size_t i = n; made && i-- > 0;) {
		uint64_t end = raw[i].start + raw[i].size;
		uint32_t first = cell_of(&c, raw[i].start), last = cell_of(&c, end), cell = uncovered(&c, first);

		if (c.begins[first])
			cell = last;
		c.begins[first] = true;
		raw[i].start = cell < last ? c.at[cell] : end;
		raw[i].size = (uint32_t)(end - raw[i].start);
		for (; cell < last; cell = uncovered(&c, cell))
			c.next[cell] = cell + 1;
	}
	*kept = 0;
	for (size_t i = 0; made && i < n; i++)
		if (raw[i].size)
			raw[(*kept)++] = raw[i];
	free(c.at);
	free(c.next);
	free(c.begins);
	return made;
}

size_t perfmap_add(struct symtab_builder *b, const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	size_t bad = 0, first = b->raw.n, kept;

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
		raw.size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;  /* so that an end is no wrap-around */
		raw.name = symtab_builder_name(b, line, (size_t)(stop - line));
		symtab_builder_add(b, &raw);
	}
	if (let_later_win(b->raw.at + first, b->raw.n - first, &kept))
		b->raw.n = first + kept;
	else
		b->failed = true;
	return bad;
}
