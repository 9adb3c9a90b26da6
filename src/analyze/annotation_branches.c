/* SPDX-License-Identifier: MIT */
#include "analyze/annotation_branches.h"

#include <stdlib.h>

#include "analyze/annotation_rows.h"

/* Runs of blocks by the row where they begin and end. */
struct runs { uint64_t begun, ended, predicted, through; };

static bool is_of(const struct basic_block *block, const struct annotated_function *f)
{
	return block->function.binary == f->binary && block->function.symbol == f->symbol &&
	       block->start != NO_BLOCK_START;
}

/* Whether the function has a block. */
static bool count_blocks(const struct sonde_annotation *a, struct runs *runs)
{
	const struct basic_blocks *blocks = &a->profile->blocks;
	bool any = false;

	for (size_t i = 0; i < blocks->list.n; i++) {
		const struct basic_block *block = &blocks->list.at[i];
		uint32_t first, last;

		if (!is_of(block, &a->counts.function))
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

static void fill(struct sonde_annotation *a, struct runs *runs)
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
	struct runs *runs;

	if (!a->profile->blocks.list.n)
		return 0;
	runs = calloc(a->rows.n + 1, sizeof(*runs));
	if (!runs)
		return -SONDE_NOMEM;
	if (count_blocks(a, runs)) {
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
