/* SPDX-License-Identifier: MIT */
/*
 * llvm.c - the text form of LLVM's sample profiles, for clang -fprofile-sample-use and llvm-profdata --sample
 *
 * "function:total:head", then " line: count", where lines count from the first line of the function. Samples in inlined
 * code are those of the line into which it was inlined. Functions without lines have a total only.
 */
#include "export/llvm/llvm.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/u64map.h"
#include "export/main_binary.h"
#include "symbol/source_lines.h"

enum { MOST_LINES = 1 << 16 };       /* lines of a function that the format tells apart */

struct line {
	uint32_t function;           /* number of its name */
	uint32_t number;             /* from the first line of the function */
	uint64_t count;
};

struct llvm {
	struct export *x;
	const struct sonde_profile *p;
	uint32_t binary;
	struct strpool names;
	VEC(struct line) lines;
	struct u64map index;         /* function << 32 | number: line */
	struct u64map first_lines;   /* by symbol of the binary; 0: not known */
	uint64_t all, own;           /* samples; of the binary */
};

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

/* 0: not known. U64MAP_NONE when out of memory. */
static uint32_t first_line_of(struct llvm *w, const struct frame *f)
{
	const struct source_frame *frames;
	uint32_t line = u64map_get(&w->first_lines, f->symbol);
	size_t n;

	if (line != U64MAP_NONE || !w->p->lines)
		return line == U64MAP_NONE ? 0 : line;
	n = source_lines_find(w->p->lines, f->binary, symtab_start(f->table, f->symbol), &frames);
	line = n ? frames[n - 1].line : 0;
	return u64map_set(&w->first_lines, f->symbol, line) < 0 ? U64MAP_NONE : line;
}

static int add_line(struct llvm *w, uint32_t function, uint32_t number, uint64_t count)
{
	uint64_t key = (uint64_t)function << 32 | number;
	uint32_t i = u64map_get(&w->index, key);

	if (i == U64MAP_NONE) {
		i = (uint32_t)w->lines.n;
		if (vec_push(&w->lines, ((struct line){ function, number, 0 })) < 0 ||
		    u64map_set(&w->index, key, i) < 0)
			return -SONDE_NOMEM;
	}
	w->lines.at[i].count += count;
	return 0;
}

/* The function that was interrupted, at the line where what was inlined there begins. */
static const struct frame *frame_of(const struct llvm *w, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_stack *stacks = w->p->stacks.list.at;
	const struct frame *frames = w->p->frames.list.at;
	uint32_t at = cell->stack;

	while (at && frames[stacks[at].frame].inlined)
		at = stacks[at].parent;
	return at ? &frames[stacks[at].frame] : &frames[cell->frame];
}

static int add_cell(struct llvm *w, const struct sonde_profile_cell *cell)
{
	const struct frame *f = frame_of(w, cell);
	uint32_t name, first, number;

	w->all += cell->samples;
	if (!f->binary || f->binary->index != w->binary || f->symbol == SYMTAB_NONE)
		return 0;
	w->own += cell->samples;
	name = strpool_add(&w->names, symtab_linkage_name(f->table, f->symbol),
			   length_of_name(symtab_linkage_name(f->table, f->symbol)));
	first = first_line_of(w, f);
	if (name == UINT32_MAX || first == U64MAP_NONE)
		return -SONDE_NOMEM;
	number = first && f->line >= first && f->line - first < MOST_LINES ? f->line - first : UINT32_MAX;
	return add_line(w, name, number, cell->samples);
}

static int compare_lines(const void *va, const void *vb, void *ctx)
{
	const struct llvm *w = ctx;
	const struct line *a = va, *b = vb;

	if (a->function != b->function)
		return strcmp(strpool_get(&w->names, a->function), strpool_get(&w->names, b->function));
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The lines of one function, from i on. Returns the first of the next one. */
static size_t put_function(struct llvm *w, size_t i)
{
	const char *name = strpool_get(&w->names, w->lines.at[i].function);
	size_t end = i;
	uint64_t total = 0;

	for (; end < w->lines.n && w->lines.at[end].function == w->lines.at[i].function; end++)
		total += w->lines.at[end].count;
	buf_line(w->x->out, name, strlen(name));
	buf_printf(w->x->out, ":%" PRIu64 ":0\n", total);
	for (; i < end; i++)
		if (w->lines.at[i].number != UINT32_MAX)
			buf_printf(w->x->out, " %" PRIu32 ": %" PRIu64 "\n", w->lines.at[i].number,
				   w->lines.at[i].count);
	return end;
}

static int put_all(struct llvm *w, uint32_t event)
{
	size_t n = 0;
	const uint32_t *cells = event < w->p->events.n ? event_cells_of(&w->x->cells, event, &n) : NULL;

	if (binary_to_write(w->x, &w->binary) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (add_cell(w, &w->p->cells.at[cells[i]]) < 0)
			return -SONDE_NOMEM;
	if (w->lines.n)
		qsort_r(w->lines.at, w->lines.n, sizeof(*w->lines.at), compare_lines, w);
	for (size_t i = 0; i < w->lines.n;)
		i = put_function(w, i);
	binary_note_others(w->x, w->binary, w->all - w->own, w->all, "samples");
	return w->lines.n > 0;
}

int export_llvm(struct export *x)
{
	struct llvm w = { .x = x, .p = x->profile };
	int event = export_event(x), r = event;

	if (r >= 0)
		r = put_all(&w, (uint32_t)event);
	strpool_free(&w.names);
	vec_free(&w.lines);
	u64map_free(&w.index);
	u64map_free(&w.first_lines);
	return r;
}
