/* SPDX-License-Identifier: MIT */
#include "perfdata/read/clock_align.h"

#include <time.h>

#include "base/bytes.h"
#include "perfdata/format/feature.h"

bool perfdata_has_wall_clock(const struct reader *r)
{
	return feature_has(&r->meta, SONDE_FEAT_CLOCK_DATA) && r->meta.clock_data.tod_ns;
}

/* As tracefs names the clock. */
static const char *name_of(const struct sonde_attr *attr)
{
	static const struct {
		clockid_t id;
		const char *name;
	} ids[] = { { CLOCK_REALTIME, "realtime" }, { CLOCK_MONOTONIC, "mono" }, { CLOCK_MONOTONIC_RAW, "mono_raw" },
		    { CLOCK_BOOTTIME, "boot" }, { CLOCK_TAI, "tai" } };

	if (!attr || !(attr->flags & SONDE_ATTR_USE_CLOCKID))
		return attr ? "perf" : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (attr->clockid == ids[i].id)
			return ids[i].name;
	return NULL;
}

void perfdata_clock(const struct reader *r, struct clock_facts *out)
{
	const struct sonde_attr *attr = r->evsels.n ? r->evsels.at[0]->attr : NULL;
	const struct meta *m = &r->meta;

	out->name = name_of(attr);
	out->has_wall = perfdata_has_wall_clock(r);
	if (out->has_wall)
		out->to_wall = (int64_t)(m->clock_data.tod_ns - m->clock_data.clockid_ns);
	else if (attr && attr->flags & SONDE_ATTR_USE_CLOCKID && attr->clockid == CLOCK_REALTIME)
		out->has_wall = true;
}
