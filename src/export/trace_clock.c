/* SPDX-License-Identifier: MIT */
#include "export/trace_clock.h"

#include <time.h>

#include "base/bytes.h"

const char *trace_clock_name(const struct meta *meta, const struct sonde_attr *attr)
{
	static const struct {
		clockid_t id;
		const char *name;
	} clocks[] = { { CLOCK_REALTIME, "realtime" },
		       { CLOCK_MONOTONIC, "monotonic" },
		       { CLOCK_MONOTONIC_RAW, "monotonic_raw" },
		       { CLOCK_BOOTTIME, "boottime" },
		       { CLOCK_TAI, "tai" } };

	if (meta->trace_clock)
		return meta->trace_clock;
	if (!attr)
		return "unknown";
	if (!(attr->flags & SONDE_ATTR_USE_CLOCKID))
		return "perf";
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (clocks[i].id == attr->clockid)
			return clocks[i].name;
	return "unknown";
}

uint64_t trace_clock_wall_ns(const struct meta *meta, const struct sonde_attr *attr, uint64_t time)
{
	if (time == SONDE_NONE)
		return SONDE_NONE;
	if (attr && attr->flags & SONDE_ATTR_USE_CLOCKID && attr->clockid == CLOCK_REALTIME)
		return time;
	return meta->clock_data.tod_ns ? meta->clock_data.tod_ns + (time - meta->clock_data.clockid_ns) : SONDE_NONE;
}
