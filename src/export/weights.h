/* SPDX-License-Identifier: MIT */
/* weights.h - what the samples of an event weigh, and in which unit */
#ifndef EXPORT_WEIGHTS_H
#define EXPORT_WEIGHTS_H

#include <linux/perf_event.h>
#include <sonde/profile.h>

/* The periods of clocks are nanoseconds. */
static inline bool attr_counts_ns(const struct sonde_attr *attr)
{
	return attr && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static inline bool weight_is_ns(const struct sonde_profile_event *e)
{
	return attr_counts_ns(e->attr);
}

static inline const char *weight_unit(const struct sonde_profile_event *e)
{
	return weight_is_ns(e) ? "nanoseconds" : "count";
}

#endif
