/* SPDX-License-Identifier: MIT */
/*
 * branch_lines.c - the count of a line is that of its instruction that ran most often
 *
 * Which bytes begin an instruction is not looked up: each byte of a block counts as often as the block ran.
 */
#include "export/llvm/branch_lines.h"

#include <stdlib.h>

#include "export/hot_code.h"

enum { MOST_BYTES = 1 << 14 };       /* of a block; a longer one is no straight run of code */

/* The count of a block changes at an offset of a function. */
struct edge {
	struct code_function function;
	uint64_t offset;
	int64_t change;
};

static int compare_edges(const void *va, const void *vb)
{
	const struct edge *a = va, *b = vb;

	if (a->function.symbol != b->function.symbol)
		return a->function.symbol < b->function.symbol ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

struct edges { VEC(struct edge) list; };

static int gather(struct edges *e, const struct sonde_profile *p, uint32_t binary)
{
	for (size_t i = 0; i < p->blocks.list.n; i++) {
		const struct basic_block *b = &p->blocks.list.at[i];
		struct code_function f = { b->function.binary, b->function.table, b->function.symbol };

		if (!f.table || f.binary->index != binary || b->start == NO_BLOCK_START ||
		    b->end - b->start > MOST_BYTES)
			continue;
		if (vec_push(&e->list, ((struct edge){ f, b->start, (int64_t)b->runs })) < 0 ||
		    vec_push(&e->list, ((struct edge){ f, b->end + 1, -(int64_t)b->runs })) < 0)
			return -SONDE_NOMEM;
	}
	if (e->list.n)
		qsort(e->list.at, e->list.n, sizeof(*e->list.at), compare_edges);
	return 0;
}

/* The lines of the bytes from one edge to the next, all of which ran that often. */
static int add_bytes(struct line_counts *c, const struct edge *from, uint64_t end, uint64_t runs)
{
	uint32_t function = line_counts_function(c, &from->function), line, number, last = NO_LINE;
	uint64_t begin = symtab_start(from->function.table, from->function.symbol), *count;

	if (function == UINT32_MAX)
		return -SONDE_NOMEM;
	for (uint64_t at = from->offset; at < end; at++) {
		line = line_counts_source(c, &from->function, begin + at);
		if (line_counts_line(c, &from->function, line, &number) < 0)
			return -SONDE_NOMEM;
		if (number == last && at > from->offset)
			continue;
		count = line_counts_at(c, function, number, NO_CALLEE);
		if (!count)
			return -SONDE_NOMEM;
		*count = *count < runs ? runs : *count;
		last = number;
	}
	return 0;
}

static int add_blocks(struct line_counts *c, uint32_t binary)
{
	struct edges e = { 0 };
	uint64_t runs = 0;
	int r = gather(&e, c->p, binary);

	for (size_t i = 0; i + 1 < e.list.n && r == 0; i++) {
		const struct edge *from = &e.list.at[i], *to = from + 1;

		runs += (uint64_t)from->change;
		if (runs && from->function.symbol == to->function.symbol)
			r = add_bytes(c, from, to->offset, runs);
	}
	vec_free(&e.list);
	return r;
}

static struct code_function function_at(const struct sonde_profile *p, const struct code_place *place)
{
	const struct frame *f = &p->frames.list.at[place->frame];

	return (struct code_function){ f->binary, f->table, f->symbol };
}

/* A branch that is a call: to the function's head, and to the line that it comes from. */
static int add_call(struct line_counts *c, const struct hot_place *b)
{
	struct code_function to, from;
	uint32_t callee, caller, line;
	uint64_t *count;

	if (b->to.frame == NO_FRAME || b->to.offset)
		return 0;
	to = function_at(c->p, &b->to);
	callee = line_counts_function(c, &to);
	if (callee == UINT32_MAX)
		return -SONDE_NOMEM;
	if (b->from.frame == NO_FRAME)
		return line_counts_called(c, callee, b->count);
	from = function_at(c->p, &b->from);
	if (from.symbol == to.symbol)
		return 0;
	caller = line_counts_function(c, &from);
	line = line_counts_source(c, &from, hot_code_address(c->p, &b->from));
	if (caller == UINT32_MAX || line_counts_line(c, &from, line, &line) < 0 ||
	    line_counts_called(c, callee, b->count) < 0)
		return -SONDE_NOMEM;
	/* the line has a count of its own, which the callees follow */
	count = line_counts_at(c, caller, line, NO_CALLEE);
	if (!count)
		return -SONDE_NOMEM;
	*count = *count < b->count ? b->count : *count;
	count = line_counts_at(c, caller, line, callee);
	if (!count)
		return -SONDE_NOMEM;
	*count += b->count;
	return 0;
}

int branch_lines_add(struct line_counts *c, const struct export *x, uint32_t event)
{
	struct hot_code hot;
	int r = hot_code_make(&hot, x, event);

	if (r == 0)
		r = add_blocks(c, hot.binary);
	for (size_t i = 0; i < hot.list.n && r == 0; i++)
		r = add_call(c, &hot.list.at[i]);
	hot_code_free(&hot);
	return r;
}
