/* SPDX-License-Identifier: MIT */
/*
 * profile_sums.c - samples are added up before anybody looks their addresses up
 *
 *	samples, in the order of the file -----> sums by (event, task, mode, address): first, last, count --+
 *	other events, in the order of times ---> history of the maps ---------------------------------------+--> cells
 *
 * In: samples as the walk finds them, which are never put in order, and all other events by time. At the end each sum
 * is looked up once, in the maps between its first and last sample. Out: counts in the cells; or 0 from
 * profile_sums_count(): the sums have given up, nothing is counted, and the caller reads the trace again by time.
 *
 * Sums give up where the result could depend on the order: another mapping was at the address meanwhile, a jitdump or a
 * change of code was seen, an event without a time moved maps, or a sample could not be added up. Never: a part of the
 * sums is counted; a sum has samples of two mappings.
 */
#include "analyze/profile/profile_sums.h"

#include <stdlib.h>

#include "analyze/profile/counting.h"
#include "analyze/profile/profile_events.h"
#include "analyze/profile/profile_tasks.h"
#include "analyze/profile/sample_count.h"

/* Maps that are looked at for each sum, on average: with more, to read the trace again is no slower. */
#define LOOKS_MOST 16

int profile_sums_begin(struct gathering *p, struct profile_sums *s, uint64_t max_memory)
{
	*s = (struct profile_sums){ .nr_code_changes = p->code_changes.list.n };
	p->moment.history = &s->maps;
	return sample_sums_begin(&s->samples, max_memory);
}

void profile_sums_end(struct gathering *p, struct profile_sums *s)
{
	p->moment.history = NULL;
	sample_sums_free(&s->samples);
	maps_history_free(&s->maps);
}

static bool has_time(const struct sonde_event *ev)
{
	return ev->time && ev->time != SONDE_NONE;
}

/* Changes that samples before them must not see: an event without a time has its place in the file instead. */
static bool changes_too_much(const struct gathering *p, const struct profile_sums *s, const struct sonde_event *ev,
			     size_t nr_moments)
{
	return p->moment.tasks.nr_dumps || p->code_changes.list.n != s->nr_code_changes ||
	       (!has_time(ev) && s->samples.samples && s->maps.list.n != nr_moments);
}

int profile_sums_event(struct gathering *p, struct profile_sums *s, const struct sonde_event *ev,
		       const struct meta *meta)
{
	size_t nr_moments = s->maps.list.n;

	if (ev->kind != SONDE_KIND_SAMPLE && profile_event(p, ev, meta) < 0)
		return -SONDE_NOMEM;
	/* a sample that is given could not be added up */
	if (ev->kind == SONDE_KIND_SAMPLE || counting_choose(p, true) != COUNT_BY_SUMS ||
	    changes_too_much(p, s, ev, nr_moments))
		s->samples.given_up = true;
	return 0;
}

static bool is_same_place(const struct mapping *a, const struct mapping *b, uint64_t ip)
{
	if (!a || !b)
		return a == b;
	return a->binary == b->binary && mapping_to_binary(a, ip) == mapping_to_binary(b, ip);
}

/* The maps in which a sum is looked up; false if another mapping was there while its samples were taken. */
static bool find_root(const struct maps_history *maps, const struct sample_sum *c, size_t *looks, maps_root *root)
{
	int32_t pid = c->cpumode == CPUMODE_KERNEL ? HISTORY_KERNEL : c->pid;
	size_t n, i = 0;
	const struct maps_moment *at = maps_history_between(maps, pid, c->first, c->last, &n);
	const struct mapping *mapping;

	*root = n && at[0].time < c->first ? at[i++].root : NULL;
	if (i == n)
		return true;
	mapping = maps_find(*root, c->ip);
	for (*looks += n; i < n; i++)
		if (!is_same_place(mapping, maps_find(at[i].root, c->ip), c->ip))
			return false;
	return true;
}

/* The maps of each sum; false if one cannot be told. */
static bool find_roots(struct profile_sums *s, maps_root *roots)
{
	size_t looks = 0, n = s->samples.list.n;

	maps_history_end(&s->maps);
	for (size_t i = 0; i < n; i++)
		if (!find_root(&s->maps, &s->samples.list.at[i], &looks, &roots[i]) || looks > LOOKS_MOST * n)
			return false;
	return true;
}

static void add_to_event(struct gathering *p, uint32_t number, const struct sample_sum *c)
{
	struct sonde_profile_event *event = &p->events.at[number];

	event->all_samples += c->samples;
	event->all_period += c->period;
	event->samples += c->samples;
	event->period += c->period;
	times_note(&p->times, c->first);
	times_note(&p->times, c->last);
}

/* The cell of a sum, by the memo of its address. 0 or -SONDE_NOMEM. */
static int find_cell(struct gathering *p, const struct sample_sum *c, uint32_t event, maps_root root,
		     uint32_t *cell)
{
	const struct plain_range *range = plain_memo_range(&p->memo.plain, root, c->ip);
	struct plain_slot key = { .within = range->within, .addr = c->ip + range->shift, .event = event, .cpu = -1,
				  .cpumode = c->cpumode, .used = true };
	struct plain_slot *slot = plain_memo_slot(&p->memo.plain, &key);
	const struct profile_sample s = { .roots = { .user = root, .kernel = root }, .ip = c->ip, .event = event,
					  .cpu = -1, .ran_on = -1, .time = SONDE_NONE, .cpumode = c->cpumode };

	if (!plain_slot_is(slot, &key)) {
		if (sample_cell(p, &s, &key.cell) < 0)
			return -SONDE_NOMEM;
		*slot = key;
	}
	*cell = slot->cell;
	return 0;
}

static int count(struct gathering *p, const struct sample_sum *c, maps_root root)
{
	uint32_t event = profile_evsel(p, c->evsel), cell;

	/* task 0 is that of the first sample */
	if (event == UINT32_MAX || (!p->who.n && profile_task_known(p, 0, c->pid, c->tid)->number == NO_TASK) ||
	    find_cell(p, c, event, root, &cell) < 0)
		return -SONDE_NOMEM;
	add_to_event(p, event, c);
	p->cells.at[cell].samples += c->samples;
	p->cells.at[cell].period += c->period;
	return 0;
}

static int count_all(struct gathering *p, struct profile_sums *s)
{
	maps_root *roots = malloc((s->samples.list.n + 1) * sizeof(*roots));
	int r = roots ? 0 : -SONDE_NOMEM;

	if (r == 0)
		s->samples.given_up = !find_roots(s, roots);
	if (r == 0 && !s->samples.given_up)
		r = plain_memo_begin(&p->memo.plain);
	for (size_t i = 0; i < s->samples.list.n && r == 0 && !s->samples.given_up; i++)
		r = count(p, &s->samples.list.at[i], roots[i]);
	free(roots);
	return r < 0 ? r : !s->samples.given_up;
}

int profile_sums_count(struct gathering *p, struct profile_sums *s)
{
	if (!s->samples.given_up && sample_sums_end(&s->samples) < 0)
		return -SONDE_NOMEM;
	return s->samples.given_up ? 0 : count_all(p, s);
}
