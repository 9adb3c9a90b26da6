/* SPDX-License-Identifier: MIT */
#include "unwind/recorded_callers.h"

#include "model/context_markers.h"
#include "unwind/call_site.h"

/* Calls that are enough where some between them and the innermost frame are unknown. */
enum { RUN_LEAST = 3 };

/* Branches that are compared at every place: twice as many as processors keep. */
enum { PLACES_MOST = 64 };

bool recorded_callers_by_record(struct recorded_callers *c, const struct sample *s, const struct unwind_cpu *cpu,
				struct unwind_memory *m, uint64_t first, uint64_t record)
{
	const struct u64s *chain = &s->callchain;
	uint64_t i = 0, at = first, pc, next;

	while (i < chain->nr && u64s_at(chain, i) != CONTEXT_USER)
		i++;
	/* after the mark is the interrupted address, which has no record */
	for (i += 2; i < chain->nr && at <= record; i++, at = next) {
		*c = (struct recorded_callers){ .sample = s, .at = i, .end = chain->nr };
		if (at == record)
			return true;
		if (!unwind_memory_read(m, at + (uint64_t)(int64_t)cpu->record_return, cpu->word, &pc) ||
		    !unwind_memory_read(m, at + (uint64_t)(int64_t)cpu->record_fp, cpu->word, &next) || next <= at ||
		    ((pc ^ u64s_at(chain, i)) & cpu->address_mask))
			return false;
	}
	return false;
}

/* The frames, from the last one inwards, that have the calls from @last inwards. */
static size_t common_calls(const struct sample *s, const struct unwind_cpu *cpu, struct unwind_memory *m,
			   const uint64_t *ips, size_t nr, uint64_t last)
{
	size_t n = 0;

	while (n + 1 < nr && n <= last &&
	       call_site_is_between(cpu, m, sample_branch_at(s, last - n).from, ips[nr - 1 - n] + 1))
		n++;
	return n;
}

/*
 * The branch that is the call in the last frame. If the newest call is that of the first caller, it is counted from
 * there. A signal handler's frames or calls that were never returned from come between else: the longest run of equal
 * calls decides, if there is only one.
 */
bool recorded_callers_by_calls(struct recorded_callers *c, const struct sample *s, const struct unwind_cpu *cpu,
			       struct unwind_memory *m, const uint64_t *ips, size_t nr, uint64_t function)
{
	uint64_t places = s->branches.nr < PLACES_MOST ? s->branches.nr : PLACES_MOST;
	size_t longest = RUN_LEAST - 1, n;
	bool one = false;

	*c = (struct recorded_callers){ .sample = s, .are_branches = true, .end = s->branches.nr };
	if (!s->branches.is_call_stack || !s->branches.nr || !nr)
		return false;
	if (nr == 1)
		return function && sample_branch_at(s, 0).to == function;
	c->at = nr - 1;
	if (c->at <= c->end && common_calls(s, cpu, m, ips, nr, nr - 2) == nr - 1)
		return true;
	for (uint64_t i = 0; i < places; i++) {
		n = common_calls(s, cpu, m, ips, nr, i);
		if (n < longest || n < RUN_LEAST)
			continue;
		one = n > longest;
		longest = n;
		c->at = i + 1;
	}
	return one;
}

uint64_t recorded_caller_at(const struct recorded_callers *c, const struct unwind_cpu *cpu, uint64_t i)
{
	if (c->are_branches)
		return sample_branch_at(c->sample, i).from;
	return (u64s_at(&c->sample->callchain, i) & cpu->address_mask) - 1;
}
