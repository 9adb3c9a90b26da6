/* SPDX-License-Identifier: MIT */
/*
 * llvm.c - the text form of LLVM's sample profiles, for clang -fprofile-sample-use and llvm-profdata --sample
 *
 * "function:total:head", then " line: count callee:count", where lines count from the first line of the function.
 * Branch stacks say how often lines ran and what they called; without them samples are counted. Inlined code counts at
 * the line into which it was inlined. Functions without lines have a total only.
 */
#include "export/llvm/llvm.h"

#include "export/llvm/branch_lines.h"
#include "export/main_binary.h"

static int add_sample(struct line_counts *c, const struct frame *f, uint64_t offset, uint64_t samples)
{
	struct code_function function = { f->binary, f->table, f->symbol };
	uint32_t name = line_counts_function(c, &function), line;
	uint64_t *count;

	line = line_counts_source(c, &function, symtab_start(f->table, f->symbol) + offset);
	if (name == UINT32_MAX || line_counts_line(c, &function, line, &line) < 0)
		return -SONDE_NOMEM;
	count = line_counts_at(c, name, line, NO_CALLEE);
	if (!count)
		return -SONDE_NOMEM;
	*count += samples;
	return 0;
}

static int add_samples(struct line_counts *c, const struct export *x, uint32_t event)
{
	uint64_t all = 0, own = 0;
	size_t n = 0;
	const uint32_t *cells = event < c->p->events.n ? event_cells_of(&x->cells, event, &n) : NULL;
	uint32_t binary;

	if (binary_to_write(x, &binary) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sonde_profile_cell *cell = &c->p->cells.at[cells[i]];
		const struct frame *f = &c->p->frames.list.at[cell->frame];

		all += cell->samples;
		if (!f->binary || f->binary->index != binary || f->symbol == SYMTAB_NONE)
			continue;
		own += cell->samples;
		if (add_sample(c, f, c->p->details.list.at[cell->detail].symbol_offset, cell->samples) < 0)
			return -SONDE_NOMEM;
	}
	binary_note_others(x, binary, all - own, all, "samples");
	return 0;
}

int export_llvm(struct export *x)
{
	struct line_counts counts = { .p = x->profile };
	int event = export_event(x), r = event;

	if (r >= 0)
		r = x->profile->kept.branches ? branch_lines_add(&counts, x, (uint32_t)event) :
					   add_samples(&counts, x, (uint32_t)event);
	if (r == 0) {
		line_counts_put(&counts, x->out);
		r = counts.list.n > 0;
	}
	line_counts_free(&counts);
	return r;
}
