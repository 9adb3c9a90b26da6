/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_branches.h"

#include <stdlib.h>

#include "analyze/annotate/annotation_rows.h"

/* Runs of blocks by the row where they begin and end. */
struct branch_runs { uint64_t begun, ended, predicted, through; };

/* Whether a block has both ends in the rows. */
static bool count_blocks(const struct sonde_annotation *a, const struct basic_block *blocks, size_t n,
			 struct branch_runs *runs)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct basic_block *block = &blocks[i];
		uint32_t first, last;

		if (block->start == NO_BLOCK_START)
			continue;
		first = annotation_row_at(a, a->code.addr + block->start);
		last = annotation_row_at(a, a->code.addr + block->end);
		if (first == NO_ANNOTATION_ROW || last == NO_ANNOTATION_ROW)
			continue;
		runs[first].begun += block->runs;
		runs[last].ended += block->runs;
		runs[last].predicted += block->predicted;
		any = true;
	}
	return any;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void fill(struct sonde_annotation *a, struct branch_runs *runs)
{
	uint64_t through = 0, at_branch = 0;

	for (size_t i = 0; i < a->rows.n; i++) {
		through += runs[i].begun;
		runs[i].through = through;
		through -= runs[i].ended;
	}
	for (size_t i = a->rows.n; i--;) {
		if (runs[i].ended)
			at_branch = runs[i].through;
		a->branches[i] = (struct annotation_branch){ .joined = share(runs[i].begun, at_branch),
							     .left = share(runs[i].ended, runs[i].through),
							     .predicted = share(runs[i].predicted, runs[i].ended) };
	}
}

int annotation_branches_make(struct sonde_annotation *a)
{
	const struct annotated_function *f = &a->counts.function;
	const struct block_function of = { f->binary, f->table, f->symbol };
	const struct basic_block *blocks;
	struct branch_runs *runs;
	size_t n;

	if (basic_blocks_sorted(&a->profile->blocks, &of, &blocks, &n) < 0)
		return -SONDE_NOMEM;
	if (!n)
		return 0;
	runs = calloc(a->rows.n + 1, sizeof(*runs));
	if (!runs)
		return -SONDE_NOMEM;
	if (count_blocks(a, blocks, n, runs)) {
		a->branches = calloc(a->rows.n + 1, sizeof(*a->branches));
		if (!a->branches) {
			free(runs);
			return -SONDE_NOMEM;
		}
		fill(a, runs);
	}
	free(runs);
	return 0;
}
