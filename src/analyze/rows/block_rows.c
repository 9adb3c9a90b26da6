/* SPDX-License-Identifier: MIT */
/* block_rows.c - basic blocks with names and places */
#include "analyze/tables/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tables/annotated_functions.h"
#include "base/buf.h"
#include "base/path.h"

static const char *function_name(const struct block_function *f)
{
	return annotated_function_name(&(struct annotated_function){ .binary = f->binary, .table = f->table,
								     .symbol = f->symbol });
}

/* "div.c:42"; "main+16" where no line is known, as perf has it. NULL when out of memory. */
static const char *place_of(struct sonde_profile *p, const struct block_function *f, uint64_t offset)
{
	uint64_t addr = (f->table ? symtab_start(f->table, f->symbol) : 0) + offset;
	const struct source_frame *frames = NULL;
	size_t n = p->lines && f->table ? source_lines_find(p->lines, f->binary, addr, &frames) : 0;
	const char *file = n ? frames[0].file : NULL;
	struct buf text = BUF_MEMORY;
	uint32_t number = UINT32_MAX;

	if (file)
		buf_printf(&text, "%s:%" PRIu32, p->frames.full_paths ? file : path_base(file), frames[0].line);
	else
		buf_printf(&text, "%s+%" PRIu64, function_name(f), offset);
	if (!text.failed)
		number = strpool_add(&p->names, text.p, text.n);
	buf_free(&text);
	return number == UINT32_MAX ? NULL : strpool_get(&p->names, number);
}

static int add(struct sonde_profile *p, const struct block_end *e)
{
	bool known = e->start != NO_BLOCK_START;
	struct sonde_profile_block row = {
		.dso_name = annotated_dso_name(p, e->function.binary), .symbol = function_name(&e->function),
		.start = known ? e->start : 0, .end = e->end, .runs = e->timed, .cycles = e->cycles,
		.start_place = place_of(p, &e->function, known ? e->start : 0),
		.end_place = place_of(p, &e->function, e->end),
	};

	return row.start_place && row.end_place ? vec_push(&p->found.block_rows, row) : -SONDE_NOMEM;
}

static int compare(const void *a, const void *b)
{
	const struct sonde_profile_block *x = a, *y = b;
	int r = (y->cycles > x->cycles) - (y->cycles < x->cycles);

	if (r == 0)
		r = strcmp(x->dso_name, y->dso_name);
	if (r == 0)
		r = strcmp(x->symbol, y->symbol);
	return r ? r : (x->end > y->end) - (x->end < y->end);
}

int sonde_profile_find_blocks(struct sonde_profile *p)
{
	const struct block_end *list;
	size_t n;
	int r = basic_blocks_ends(&p->blocks, NULL, &list, &n);

	p->found.block_rows.n = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(p, &list[i]);
	if (p->found.block_rows.n)
		qsort(p->found.block_rows.at, p->found.block_rows.n, sizeof(*p->found.block_rows.at), compare);
	return r;
}

const struct sonde_profile_block *sonde_profile_block_at(const struct sonde_profile *p, size_t i)
{
	return i < p->found.block_rows.n ? &p->found.block_rows.at[i] : NULL;
}

uint64_t sonde_profile_block_cycles(const struct sonde_profile *p)
{
	return p->blocks.cycles;
}
