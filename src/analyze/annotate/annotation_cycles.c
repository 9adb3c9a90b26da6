/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_cycles.h"

#include <stdlib.h>

#include "analyze/annotate/annotation_rows.h"

/* While the blocks of a function are taken, the last one first. */
struct taking {
	struct sonde_annotation *a;
	uint32_t *nr_before;         /* by row: instructions before it */
	uint32_t covered_from;       /* the first row of the blocks with an IPC so far */
	uint64_t covered, insns, cycles;     /* of these blocks */
};

static int count_insns(struct taking *t)
{
	uint32_t n = 0;

	t->nr_before = malloc((t->a->rows.n + 1) * sizeof(*t->nr_before));
	if (!t->nr_before)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < t->a->rows.n; i++) {
		t->nr_before[i] = n;
		n += t->a->rows.at[i].kind == SONDE_ANNOTATION_INSN;
	}
	t->nr_before[t->a->rows.n] = n;
	return 0;
}

/* The IPC of the longest block before a branch; 0: no block begins with an instruction. */
static double take_longest(struct taking *t, const struct block_end *e, uint32_t last)
{
	uint32_t first = annotation_row_at(t->a, t->a->code.addr + e->start), nr_insns, covered_to;

	if (e->start == NO_BLOCK_START || first == NO_ANNOTATION_ROW)
		return 0;
	nr_insns = t->nr_before[last + 1] - t->nr_before[first];
	t->insns += nr_insns * e->longest_timed;
	t->cycles += e->longest_cycles;
	/* blocks that end later and reach this one cover it up to its end */
	covered_to = t->covered_from <= last ? t->covered_from : last + 1;
	if (first < covered_to) {
		t->covered += t->nr_before[covered_to] - t->nr_before[first];
		t->covered_from = first;
	}
	return (double)nr_insns / ((double)e->longest_cycles / (double)e->longest_timed);
}

static void take(struct taking *t, const struct block_end *e)
{
	uint32_t row = annotation_row_at(t->a, t->a->code.addr + e->end);

	if (row == NO_ANNOTATION_ROW)
		return;
	t->a->cycles[row] = (struct annotation_cycles){ .average = e->cycles / e->timed,
							.min = e->min_cycles,
							.max = e->max_cycles,
							.ipc = take_longest(t, e, row) };
}

int annotation_cycles_make(struct sonde_annotation *a)
{
	const struct annotated_function *f = &a->counts.function;
	const struct block_function of = { f->binary, f->table, f->symbol };
	struct taking t = { .a = a, .covered_from = UINT32_MAX };
	const struct block_end *list;
	size_t n;

	if (basic_blocks_ends(&a->profile->blocks, &of, &list, &n) < 0)
		return -SONDE_NOMEM;
	if (!n)
		return 0;
	a->cycles = calloc(a->rows.n + 1, sizeof(*a->cycles));
	if (!a->cycles || count_insns(&t) < 0)
		return -SONDE_NOMEM;
	while (n)
		take(&t, &list[--n]);
	a->info.has_cycles = true;
	a->info.ipc = t.cycles ? (double)t.insns / (double)t.cycles : 0;
	if (t.nr_before[a->rows.n])
		a->info.ipc_coverage = 100.0 * (double)t.covered / t.nr_before[a->rows.n];
	free(t.nr_before);
	return 0;
}
