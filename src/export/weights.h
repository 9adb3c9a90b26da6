/* SPDX-License-Identifier: MIT */
/* weights.h - what the samples of an event weigh, and in which unit */
#ifndef EXPORT_WEIGHTS_H
#define EXPORT_WEIGHTS_H

#include <linux/perf_event.h>
#include <sonde/profile.h>
#include <string.h>

/* The periods of clocks are nanoseconds. */
static inline bool attr_counts_ns(const struct sonde_attr *attr)
{
	return attr && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* An event of `record --off-cpu`, by sonde or perf: its periods are nanoseconds in which a task did not run. */
static inline bool attr_is_off_cpu(const struct sonde_attr *attr, const char *name)
{
	static const char off_cpu[] = "offcpu-time";

	return attr && attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       strncmp(name, off_cpu, sizeof(off_cpu) - 1) == 0 &&
	       (name[sizeof(off_cpu) - 1] == '\0' || name[sizeof(off_cpu) - 1] == ':');
}

static inline bool evsel_counts_ns(const struct sonde_evsel *evsel)
{
	return attr_counts_ns(evsel->attr) || attr_is_off_cpu(evsel->attr, evsel->name);
}

static inline bool weight_is_off_cpu(const struct sonde_profile_event *e)
{
	return attr_is_off_cpu(e->attr, e->name);
}

static inline bool weight_is_ns(const struct sonde_profile_event *e)
{
	return attr_counts_ns(e->attr) || weight_is_off_cpu(e);
}

static inline const char *weight_unit(const struct sonde_profile_event *e)
{
	return weight_is_ns(e) ? "nanoseconds" : "count";
}

#endif
