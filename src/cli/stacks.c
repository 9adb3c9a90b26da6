/* SPDX-License-Identifier: MIT */
#include "cli/stacks.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cli/command.h"

/* Default number of frames that the library keeps of a stack. */
enum { USUAL_FRAMES = 127 };

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
