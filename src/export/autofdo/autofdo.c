/* SPDX-License-Identifier: MIT */
/*
 * autofdo.c - the text format of AutoFDO, for create_llvm_prof and create_gcov --profiler=text
 *
 * Three sections, each with its number of lines: code that ran from a branch's target to the next branch, samples, and
 * branches. Addresses are hexadecimal, those in the file. Branch stacks give the first and the last section, samples
 * without branches the second one.
 */
#include "export/autofdo/autofdo.h"

#include <inttypes.h>

#include "export/hot_code.h"

static bool is_shown(const struct basic_block *b, const struct hot_code *hot)
{
	return b->function.table && b->function.binary->index == hot->binary && b->start != NO_BLOCK_START;
}

static void put_ranges(const struct export *x, const struct hot_code *hot)
{
	const struct basic_blocks *blocks = &x->profile->blocks;
	size_t n = 0;

	for (size_t i = 0; i < blocks->list.n; i++)
		n += is_shown(&blocks->list.at[i], hot);
	buf_printf(x->out, "%zu\n", n);
	for (size_t i = 0; i < blocks->list.n; i++) {
		const struct basic_block *b = &blocks->list.at[i];
		uint64_t begin = is_shown(b, hot) ? symtab_start(b->function.table, b->function.symbol) : 0;

		if (is_shown(b, hot))
			buf_printf(x->out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", begin + b->start, begin + b->end,
				   b->runs);
	}
}

static void put_samples(const struct export *x, const struct hot_code *hot)
{
	buf_printf(x->out, "%zu\n", hot->branches ? 0 : hot->list.n);
	for (size_t i = 0; i < hot->list.n && !hot->branches; i++)
		buf_printf(x->out, "%" PRIx64 ":%" PRIu64 "\n", hot_code_address(x->profile, &hot->list.at[i].to),
			   hot->list.at[i].count);
}

static bool is_inside(const struct hot_place *b)
{
	return b->from.frame != NO_FRAME && b->to.frame != NO_FRAME;
}

static void put_branches(const struct export *x, const struct hot_code *hot)
{
	size_t n = 0;

	for (size_t i = 0; i < hot->list.n; i++)
		n += is_inside(&hot->list.at[i]);
	buf_printf(x->out, "%zu\n", n);
	for (size_t i = 0; i < hot->list.n; i++)
		if (is_inside(&hot->list.at[i]))
			buf_printf(x->out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
				   hot_code_address(x->profile, &hot->list.at[i].from),
				   hot_code_address(x->profile, &hot->list.at[i].to), hot->list.at[i].count);
}

int export_autofdo(struct export *x)
{
	int event = export_event(x), r = event;
	struct hot_code hot = { 0 };

	if (r >= 0)
		r = hot_code_make(&hot, x, (uint32_t)event);
	if (r == 0) {
		put_ranges(x, &hot);
		put_samples(x, &hot);
		put_branches(x, &hot);
		r = hot.list.n > 0;
	}
	hot_code_free(&hot);
	return r;
}
