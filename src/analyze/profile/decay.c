/* SPDX-License-Identifier: MIT */
#include "analyze/profile/decay.h"

#include <stdlib.h>

#include "analyze/profile/cells.h"
#include "analyze/profile/profile_tasks.h"

enum { MILLIONTH_BITS = 20 };        /* a cell below this share of its event is left out */

/* Rows and bytes of maps that are not worth the work. */
enum { FEW_ROWS = 1 << 14, FEW_BYTES = 32 << 20 };

static uint64_t eighths_of(uint64_t n, uint32_t eighths)
{
	return n / 8 * eighths + n % 8 * eighths / 8;
}

static void decay_event(struct sonde_profile_event *e, uint32_t eighths)
{
	uint64_t *const sums[] = { &e->samples, &e->period, &e->all_samples, &e->all_period, &e->all_latency,
				   &e->cut_stacks, &e->shortened_stacks };

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*sums[i] = eighths_of(*sums[i], eighths);
}

static void decay_kinds(struct branch_kinds *k, uint32_t eighths)
{
	uint64_t *const sums[] = { &k->forward, &k->backward, &k->other_4k, &k->other_2m };

	for (size_t i = 0; i < BRANCH_KINDS; i++)
		k->branches[i] = eighths_of(k->branches[i], eighths);
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*sums[i] = eighths_of(*sums[i], eighths);
}

static bool decay_cell(const struct gathering *p, struct sonde_profile_cell *c, uint32_t eighths)
{
	c->samples = eighths_of(c->samples, eighths);
	c->period = eighths_of(c->period, eighths);
	c->latency = eighths_of(c->latency, eighths);
	return c->period && c->period >= p->events.at[c->event].all_period >> MILLIONTH_BITS;
}

/* Rows that cells need, and their new numbers. */
struct new_numbers {
	uint32_t *tasks, *frames, *stacks;
};

/* Marks become numbers, in the order of the rows. */
static void number_marked(uint32_t *marks, size_t n)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < n; i++)
		marks[i] = marks[i] ? kept++ : UINT32_MAX;
}

static void mark_used(const struct gathering *p, struct new_numbers *c)
{
	const struct sonde_profile_stack *stacks = p->stacks.list.at;

	c->stacks[0] = 1;
	for (size_t i = 0; i < p->details.list.n; i++) {
		const struct sonde_profile_detail *d = &p->details.list.at[i];

		if (d->source)
			c->frames[d->source - 1] = 1;
		if (d->data)
			c->frames[d->data - 1] = 1;
	}
	for (size_t i = 0; i < p->cells.n; i++) {
		const struct sonde_profile_cell *cell = &p->cells.at[i];

		c->tasks[cell->task] = c->frames[cell->frame] = 1;
		for (uint32_t s = cell->stack; s && !c->stacks[s]; s = stacks[s].parent)
			c->stacks[s] = c->frames[stacks[s].frame] = 1;
	}
}

static int leave_rows_out(struct gathering *p, struct new_numbers *c)
{
	mark_used(p, c);
	number_marked(c->tasks, p->who.n);
	number_marked(c->frames, p->frames.list.n);
	number_marked(c->stacks, p->stacks.list.n);
	for (size_t i = 0; i < p->cells.n; i++) {
		struct sonde_profile_cell *cell = &p->cells.at[i];

		cell->task = c->tasks[cell->task];
		cell->frame = c->frames[cell->frame];
		cell->stack = c->stacks[cell->stack];
	}
	if (details_renumber_frames(&p->details, c->frames) < 0 ||
	    stacks_renumber(&p->stacks, c->stacks, c->frames) < 0 || frames_renumber(&p->frames, c->frames) < 0 ||
	    profile_tasks_renumber(p, c->tasks) < 0)
		return -SONDE_NOMEM;
	return tasks_compact(&p->moment.tasks);
}

static size_t count_rows(const struct gathering *p)
{
	return p->stacks.list.n + p->frames.list.n + p->who.n;
}

/* Once there is twice as much as after the last time, so that the work is in proportion to the samples. */
static int compact(struct gathering *p)
{
	struct new_numbers c;
	int r = -SONDE_NOMEM;

	if (count_rows(p) < 2 * p->compact_rows + FEW_ROWS &&
	    p->moment.tasks.pool.nodes.bytes < 2 * p->compact_bytes + FEW_BYTES)
		return 0;
	c = (struct new_numbers){ .tasks = calloc(p->who.n + 1, sizeof(*c.tasks)),
				 .frames = calloc(p->frames.list.n + 1, sizeof(*c.frames)),
				 .stacks = calloc(p->stacks.list.n + 1, sizeof(*c.stacks)) };
	if (c.tasks && c.frames && c.stacks)
		r = leave_rows_out(p, &c);
	free(c.tasks);
	free(c.frames);
	free(c.stacks);
	p->compact_rows = count_rows(p);
	p->compact_bytes = p->moment.tasks.pool.nodes.bytes;
	return r < 0 ? r : cells_number(p);
}

int profile_decay(struct gathering *p, uint32_t eighths)
{
	size_t kept = 0;

	if (profile_end_trace(p) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < p->events.n; i++)
		decay_event(&p->events.at[i], eighths);
	decay_kinds(&p->branch_kinds, eighths);
	for (size_t i = 0; i < p->cells.n; i++)
		if (decay_cell(p, &p->cells.at[i], eighths))
			p->cells.at[kept++] = p->cells.at[i];
	if (kept < p->cells.n) {
		p->cells.n = kept;
		if (cells_number(p) < 0)
			return -SONDE_NOMEM;
	}
	return compact(p);
}
