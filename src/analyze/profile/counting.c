/* SPDX-License-Identifier: MIT */
#include "analyze/profile/counting.h"

#include "analyze/profile/profile_tasks.h"

/* Whether something besides address, stack, task and CPU tells cells apart, or samples are chosen by it. */
static bool needs_fields(const struct gathering *p)
{
	return profile_has_details(p) || p->trace.tracks_need_events || p->trace.has_blocks || p->wants.sockets.n ||
	       p->wants.stitch_lbr || p->wants.stack_branches || p->parallelism.known || p->parallelism.filtered;
}

/* A kernel of another boot has other addresses in callchains. */
static bool needs_events(const struct gathering *p)
{
	return needs_fields(p) || profile_chooses_tasks(p) ||
	       (p->chains.kernel && tracefmt_has_boots(p->chains.kernel));
}

/* Whether stacks, tasks, CPUs or times of samples are kept, or names decide whether one is. */
static bool needs_heads(const struct gathering *p)
{
	return p->kept.callchains || p->kept.by & SONDE_BY_CPU || p->timed.on || p->tracks.on ||
	       !p->wants.any_task || p->wants.named_only;
}

enum counting counting_choose(const struct gathering *p, bool walks_again)
{
	if (needs_events(p))
		return COUNT_BY_EVENTS;
	return needs_heads(p) || !walks_again ? COUNT_BY_HEADS : COUNT_BY_SUMS;
}

bool counting_takes_heads(const struct gathering *p)
{
	return !needs_events(p) && !p->moment.tasks.nr_dumps;  /* code of a jitdump changes with time */
}
