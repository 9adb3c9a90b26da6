/* SPDX-License-Identifier: MIT */
#include "cli/stacks.h"

#include <linux/perf_event.h>
#include <string.h>

#include "cli/command.h"

static bool any_sample_has(const struct sonde_trace *t, uint64_t fields)
{
	for (size_t i = 0; i < sonde_trace_sources(t); i++)
		if (sonde_trace_source(t, i)->attr->sample_type & fields)
			return true;
	return false;
}

void say_no_callchains(const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);

	if (info && !strcmp(info->format, "perf.data") && !sonde_trace_error(t)->code && !any_sample_has(t, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK))
		warn("%s: has no call chains: it was recorded without -g", info->path);
}

void say_not_unwound(const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);

	if (info && any_sample_has(t, PERF_SAMPLE_STACK_USER))
		warn("%s: recorded with --call-graph dwarf: these stacks are not unwound yet, so callers in user space are missing", info->path);
}
