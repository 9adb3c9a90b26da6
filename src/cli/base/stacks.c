/* SPDX-License-Identifier: MIT */
#include "cli/base/stacks.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cli/base/command.h"

/* Default number of frames that the library keeps of a stack. */
enum { USUAL_FRAMES = 127 };

struct stack_words stack_words = { .inlined = true };

static bool any_sample_has(const struct sonde_trace *t, uint64_t fields)
{
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
		if (sonde_trace_evsel_at(t, i)->attr->sample_type & fields)
			return true;
	return false;
}

void say_no_callchains(const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);

	if (info && !strcmp(info->format, "perf.data") && !sonde_trace_error(t)->code &&
	    !any_sample_has(t, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK))
		warn("%s: has no call chains: it was recorded without -g", info->path);
}

static bool any_branches_have(const struct sonde_trace *t, uint64_t type)
{
	const struct sonde_attr *attr;

	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		attr = sonde_trace_evsel_at(t, i)->attr;
		if (attr && attr->sample_type & PERF_SAMPLE_BRANCH_STACK && (attr->branch_sample_type & type) == type)
			return true;
	}
	return false;
}

static bool is_depth(const struct sonde_pmu_cap *cap)
{
	return !strcmp(cap->name, "branches");
}

/* Whether the recording tells how many branches the processor keeps. */
static bool has_depth(const struct sonde_trace *t)
{
	const struct sonde_pmu_caps *pmu;
	const struct sonde_pmu_cap *cap;

	for (size_t i = 0; (cap = sonde_trace_cpu_pmu_cap_at(t, i)); i++)
		if (is_depth(cap))
			return true;
	for (size_t i = 0; (pmu = sonde_trace_pmu_caps_at(t, i)); i++)
		for (size_t k = 0; (cap = sonde_pmu_caps_at(pmu, k)); k++)
			if (is_depth(cap))
				return true;
	return false;
}

void say_not_stitched(const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);

	if (!info || sonde_trace_error(t)->code)
		return;
	if (!any_branches_have(t, PERF_SAMPLE_BRANCH_CALL_STACK))
		warn("%s: has nothing to stitch: it was recorded without --call-graph lbr", info->path);
	else if (!any_branches_have(t, PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX))
		warn("%s: cannot be stitched: its branches lack hw_idx, which Linux 5.7 and later record", info->path);
	else if (!has_depth(t))
		warn("%s: cannot be stitched: it lacks the number of branches that the processor keeps (CPU_PMU_CAPS)",
		     info->path);
}

uint32_t stack_limit(uint64_t max_stack)
{
	return max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)max_stack;
}

void say_shortened(const struct sonde_profile *p, uint64_t max_stack, bool outermost)
{
	const struct sonde_profile_event *event;
	uint64_t shortened = 0;

	for (size_t i = 0; (event = sonde_profile_event_at(p, i)); i++)
		shortened += event->shortened_stacks;
	if (shortened)
		say("%" PRIu64 " %s more than %" PRIu64 " frames, the %s are shown; --max-stack N shows N frames",
		    shortened, shortened == 1 ? "stack has" : "stacks have", max_stack ? max_stack : USUAL_FRAMES,
		    outermost ? "outermost" : "innermost");
}
