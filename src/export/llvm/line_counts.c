/* SPDX-License-Identifier: MIT */
#include "export/llvm/line_counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_text.h"

enum { MOST_LINES = 1 << 16 };       /* lines of a function that the format tells apart */

/* The compiler's own suffixes are not part of the name that the profile is looked up by. */
static size_t length_of_name(const char *name)
{
	static const char *const suffixes[] = { ".llvm.", ".part.", ".cold" };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(name, suffixes[i]);

		if (at && at > name && (size_t)(at - name) < len)
			len = (size_t)(at - name);
	}
	return len;
}

uint32_t line_counts_function(struct line_counts *c, const struct code_function *f)
{
	const char *name = symtab_linkage_name(f->table, f->symbol);

	return strpool_add(&c->names, name, length_of_name(name));
}

uint32_t line_counts_source(const struct line_counts *c, const struct code_function *f, uint64_t addr)
{
	const struct source_frame *frames;
	size_t n = c->p->lines ? source_lines_find(c->p->lines, f->binary, addr, &frames) : 0;

	return n ? frames[n - 1].line : 0;
}

int line_counts_line(struct line_counts *c, const struct code_function *f, uint32_t line, uint32_t *number)
{
	uint32_t first = u64map_get(&c->first_lines, f->symbol);

	if (first == U64MAP_NONE) {
		first = line_counts_source(c, f, symtab_start(f->table, f->symbol));
		if (u64map_set(&c->first_lines, f->symbol, first) < 0)
			return -SONDE_NOMEM;
	}
	*number = first && line >= first && line - first < MOST_LINES ? line - first : NO_LINE;
	return 0;
}

uint64_t *line_counts_at(struct line_counts *c, uint32_t function, uint32_t line, uint32_t callee)
{
	uint64_t hash = hash_two(hash_index_seed(&c->index) ^ ((uint64_t)function << 32 | line), callee);
	uint32_t i;

	hash_index_each(&c->index, hash, i) {
		struct line_count *known = &c->list.at[i];

		if (known->function == function && known->line == line && known->callee == callee)
			return &known->count;
	}
	i = (uint32_t)c->list.n;
	if (vec_push(&c->list, ((struct line_count){ function, line, callee, 0 })) < 0 ||
	    hash_index_add(&c->index, hash, i) < 0)
		return NULL;
	return &c->list.at[i].count;
}

int line_counts_called(struct line_counts *c, uint32_t function, uint64_t count)
{
	uint32_t i = u64map_get(&c->heads, function);

	if (i == U64MAP_NONE) {
		i = (uint32_t)c->head_counts.n;
		if (vec_push(&c->head_counts, 0) < 0 || u64map_set(&c->heads, function, i) < 0)
			return -SONDE_NOMEM;
	}
	c->head_counts.at[i] += count;
	return 0;
}

/* By the name of the function, its lines, and on each line first its count, then its callees. */
static int compare_lines(const void *va, const void *vb, void *ctx)
{
	const struct line_counts *c = ctx;
	const struct line_count *a = va, *b = vb;

	if (a->function != b->function)
		return strcmp(strpool_get(&c->names, a->function), strpool_get(&c->names, b->function));
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->callee + 1 < b->callee + 1 ? -1 : a->callee + 1 > b->callee + 1;
}

static void put_name(const struct line_counts *c, struct buf *out, uint32_t number)
{
	const char *name = strpool_get(&c->names, number);

	buf_line(out, name, strlen(name));
}

static uint64_t head_of(const struct line_counts *c, uint32_t function)
{
	uint32_t i = u64map_get(&c->heads, function);

	return i == U64MAP_NONE ? 0 : c->head_counts.at[i];
}

/* The lines of one function, from i on. Returns the first of the next one. */
static size_t put_function(const struct line_counts *c, struct buf *out, size_t i)
{
	size_t end = i;
	uint64_t total = 0;

	for (; end < c->list.n && c->list.at[end].function == c->list.at[i].function; end++)
		total += c->list.at[end].callee == NO_CALLEE ? c->list.at[end].count : 0;
	put_name(c, out, c->list.at[i].function);
	buf_printf(out, ":%" PRIu64 ":%" PRIu64, total, head_of(c, c->list.at[i].function));
	for (; i < end; i++) {
		const struct line_count *l = &c->list.at[i];

		if (l->line == NO_LINE)
			continue;
		if (l->callee == NO_CALLEE) {
			buf_printf(out, "\n %" PRIu32 ": %" PRIu64, l->line, l->count);
			continue;
		}
		buf_char(out, ' ');
		put_name(c, out, l->callee);
		buf_printf(out, ":%" PRIu64, l->count);
	}
	buf_char(out, '\n');
	return end;
}

void line_counts_put(struct line_counts *c, struct buf *out)
{
	if (c->list.n)
		qsort_r(c->list.at, c->list.n, sizeof(*c->list.at), compare_lines, c);
	for (size_t i = 0; i < c->list.n;)
		i = put_function(c, out, i);
}

void line_counts_free(struct line_counts *c)
{
	strpool_free(&c->names);
	vec_free(&c->list);
	hash_index_free(&c->index);
	u64map_free(&c->first_lines);
	u64map_free(&c->heads);
	vec_free(&c->head_counts);
}
