/* SPDX-License-Identifier: MIT */
#include "resolve/copied_stack.h"

#include <linux/perf_event.h>

#include "threads/tasks.h"

bool copied_stack_expected(const struct sonde_evsel *evsel)
{
	const uint64_t wanted = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;

	return evsel->attr && ((evsel->attr->sample_type & wanted) == wanted ||
			       (evsel->attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
				evsel->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK));
}

bool copied_stack_of(const struct sample *s, uint8_t cpumode, const char *arch, struct copied_stack *out)
{
	*out = (struct copied_stack){ .ip = s->ip, .regs = s->user_regs, .bytes = s->user_stack, .arch = arch,
				      .in_kernel = cpumode == CPUMODE_KERNEL };
	if (s->branches.is_call_stack)
		out->branches = s->branches;
	out->branches.counters = NULL;
	return s->present & PERF_SAMPLE_STACK_USER || out->branches.nr;
}

bool copied_stack_find(const struct sonde_event *ev, const char *arch, struct copied_stack *out)
{
	struct sample s;

	event_sample(ev, &s);
	return copied_stack_of(&s, ev->cpumode, arch, out);
}

/* Marks of user, kernel and guest do not count. */
static uint64_t count_frames(const struct u64s *chain)
{
	uint64_t frames = 0;

	for (uint64_t i = 0; i < chain->nr; i++)
		frames += u64s_at(chain, i) < PERF_CONTEXT_MAX;
	return frames;
}

struct long_stack long_stack_of(const struct u64s *chain, const struct sonde_attr *attr, uint32_t max_frames)
{
	uint64_t kept = kernel_stack_limit(attr), frames;

	if (!long_stack_is_possible(chain, attr, max_frames))
		return (struct long_stack){ 0 };
	frames = count_frames(chain);
	return (struct long_stack){ .cut = frames == kept, .shortened = frames > max_frames };
}
