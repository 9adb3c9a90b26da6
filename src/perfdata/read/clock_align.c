/* SPDX-License-Identifier: MIT */
/* clock_align.c - how the clocks of two recordings stand to each other */
#include "perfdata/read/clock_align.h"

#include "perfdata/format/feature.h"

#define SECOND INT64_C(1000000000)

bool perfdata_hosts_differ(const struct reader *a, const struct reader *b)
{
	const char *x = a->meta.hostname, *y = b->meta.hostname;

	return x && y && strcmp(x, y) != 0;
}

bool perfdata_has_wall_clock(const struct reader *r)
{
	return feature_has(&r->meta, SONDE_FEAT_CLOCK_DATA) && r->meta.clock_data.tod_ns;
}

/* By the wall clock, which both have read together with their own. */
static int64_t shift_by_wall(const struct reader *r, const struct reader *first)
{
	const struct meta *a = &first->meta, *b = &r->meta;
	bool same = a->clock_data.clockid == b->clock_data.clockid && !perfdata_hosts_differ(first, r);
	int64_t shift = (int64_t)((a->clock_data.clockid_ns - a->clock_data.tod_ns) -
				  (b->clock_data.clockid_ns - b->clock_data.tod_ns));

	/* one clock of one machine: a small difference is the wall clock's, which is being set right */
	return same && shift > -SECOND && shift < SECOND ? 0 : shift;
}

static bool has_clock_of(const struct reader *r, const struct reader *first)
{
	const struct sonde_attr *a, *b;

	if (!r->evsels.n || !first->evsels.n)
		return false;
	a = first->evsels.at[0]->attr;
	b = r->evsels.at[0]->attr;
	return (a->flags & SONDE_ATTR_USE_CLOCKID) == (b->flags & SONDE_ATTR_USE_CLOCKID) && a->clockid == b->clockid;
}

bool perfdata_align(const struct reader *r, const struct reader *first, int64_t *shift)
{
	bool by_wall = r != first && perfdata_has_wall_clock(r) && perfdata_has_wall_clock(first);

	*shift = by_wall ? shift_by_wall(r, first) : 0;
	return r == first || by_wall || (has_clock_of(r, first) && !perfdata_hosts_differ(r, first));
}
