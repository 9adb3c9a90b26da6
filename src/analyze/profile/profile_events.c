/* SPDX-License-Identifier: MIT */
#include "analyze/profile/profile_events.h"

#include <linux/perf_event.h>
#include <string.h>

/* Branches are counted from the first event on that was recorded with them, if they are no call stack. */
static void expect_branches(struct gathering *p, const struct sonde_attr *attr)
{
	if (p->wants.branches_if_any && !p->cells.n && attr && attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    !(attr->sample_type & PERF_SAMPLE_STACK_USER) &&
	    !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		p->kept.branches = true;
	if (p->kept.branches)
		p->kept.callchains = false;
}

/* Stacks are kept from the first event on that was recorded with them. */
static void expect_callchains(struct gathering *p, const struct sonde_attr *attr)
{
	if (p->kept.callchains || p->kept.branches || (p->wants.blocks && !p->wants.branches_if_any) ||
	    !p->wants.callchains_if_any || !attr || !(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	p->kept.callchains = true;
	p->frames.inlined = p->wants.inlined;
	p->frames.callers = true;
	frames_forget(&p->frames);  /* addresses were looked up without what stacks need */
	cell_memo_forget(&p->memo);
}

/* Takes over the group of an event that leads or is a member. 0 or -SONDE_NOMEM. */
static int take_group(struct gathering *p, const struct sonde_evsel *evsel, struct sonde_profile_event *event)
{
	uint32_t name;

	if (evsel->leader < evsel->index && p->trace.event_of_evsel.at[evsel->leader])
		event->leader = p->trace.event_of_evsel.at[evsel->leader] - 1;
	if (!evsel->group)
		return 0;
	name = strpool_add(&p->names, evsel->group, strlen(evsel->group));
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	event->group = strpool_get(&p->names, name);
	return 0;
}

/*
 * The event of the n-th evsel of that name in a trace is the n-th of that name: two of one name (for two cgroups)
 * stay two.
 */
static uint32_t event_of_name(struct gathering *p, const struct sonde_evsel *evsel)
{
	uint32_t name = strpool_add(&p->names, evsel->name, strlen(evsel->name)), before, i;
	struct sonde_profile_event event;
	uint64_t key;

	if (name == UINT32_MAX)
		return UINT32_MAX;
	before = u64map_get(&p->trace.evsels_of_name, name);
	before = before == U64MAP_NONE ? 0 : before;
	key = (uint64_t)name << 32 | before;
	i = u64map_get(&p->event_of_name, key);
	if (u64map_set(&p->trace.evsels_of_name, name, before + 1) < 0)
		return UINT32_MAX;
	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)p->events.n;
	expect_branches(p, evsel->attr);
	event = (struct sonde_profile_event){ .name = strpool_get(&p->names, name), .attr = evsel->attr, .leader = i };
	if (take_group(p, evsel, &event) < 0 || vec_push(&p->events, event) < 0 ||
	    u64map_set(&p->event_of_name, key, i) < 0)
		return UINT32_MAX;
	expect_callchains(p, evsel->attr);
	return i;
}

uint32_t profile_add_evsel(struct gathering *p, const struct sonde_evsel *evsel)
{
	uint32_t i;

	while (p->trace.event_of_evsel.n <= evsel->index)
		if (vec_push(&p->trace.event_of_evsel, 0) < 0)
			return UINT32_MAX;
	parallelism_expect(&p->parallelism, evsel->attr);
	p->trace.has_blocks |= p->wants.blocks && basic_blocks_expected(evsel->attr);
	i = event_of_name(p, evsel);
	if (i != UINT32_MAX)
		p->trace.event_of_evsel.at[evsel->index] = i + 1;
	return i;
}
