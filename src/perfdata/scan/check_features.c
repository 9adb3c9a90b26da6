/* SPDX-License-Identifier: MIT */
/* check_features.c - do the features agree with each other, with the events and with the records? */
#include "perfdata/scan/check_features.h"

#include "perfdata/format/feature.h"

static void check_groups(const struct layout *l, struct findings *f)
{
	const struct meta *m = &l->meta;

	for (size_t i = 0; i < m->nr_groups; i++)
		if ((uint64_t)m->groups[i].leader + m->groups[i].nr_members > l->events.n)
			found(f, CHECK_FEATURE_CONTRADICTS, l->features[SONDE_FEAT_GROUP_DESC].offset, "GROUP_DESC",
			      "members that are events", "%u from %u on, of %zu events", m->groups[i].nr_members,
			      m->groups[i].leader, l->events.n);
}

static void check_clock(const struct layout *l, struct findings *f)
{
	const struct meta *m = &l->meta;

	if (!feature_has(m, SONDE_FEAT_CLOCK_DATA))
		return;
	for (size_t i = 0; i < l->events.n; i++) {
		const struct sonde_attr *attr = &evlist_at(&l->evlist, i)->attr;

		if (attr->flags & SONDE_ATTR_USE_CLOCKID && (uint32_t)attr->clockid != m->clock_data.clockid)
			found(f, CHECK_FEATURE_CONTRADICTS, l->features[SONDE_FEAT_CLOCK_DATA].offset, "CLOCK_DATA",
			      "the clock of the events", "%u, and %d in an attr", m->clock_data.clockid, attr->clockid);
	}
}

static bool has_branches(const struct layout *l)
{
	for (size_t i = 0; i < l->events.n; i++)
		if (evlist_at(&l->evlist, i)->attr.sample_type & SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

void check_features(const struct layout *l, struct findings *f)
{
	const struct meta *m = &l->meta;

	if (feature_has(m, SONDE_FEAT_NRCPUS) && m->nr_cpus_online > m->nr_cpus_available)
		found(f, CHECK_FEATURE_CONTRADICTS, l->features[SONDE_FEAT_NRCPUS].offset, "NRCPUS",
		      "no more CPUs online than available", "%u of %u", m->nr_cpus_online, m->nr_cpus_available);
	/* a recorder that saw no time leaves the first at the largest number */
	if (feature_has(m, SONDE_FEAT_SAMPLE_TIME) && m->sample_time_first > m->sample_time_last &&
	    m->sample_time_first != SONDE_NONE)
		found(f, CHECK_FEATURE_CONTRADICTS, l->features[SONDE_FEAT_SAMPLE_TIME].offset, "SAMPLE_TIME",
		      "a first time before the last", "%" PRIu64 " and %" PRIu64, m->sample_time_first,
		      m->sample_time_last);
	if (feature_has(m, SONDE_FEAT_BRANCH_STACK) && l->events.n && !has_branches(l))
		found(f, CHECK_FEATURE_CONTRADICTS, l->features[SONDE_FEAT_BRANCH_STACK].offset, "BRANCH_STACK",
		      "an event that samples branches", "none");
	check_groups(l, f);
	check_clock(l, f);
}

void check_compression(const struct layout *l, uint64_t nr_packed, struct findings *f)
{
	if (nr_packed && !l->header.pipe && !l->unfinished && !feature_has(&l->meta, SONDE_FEAT_COMPRESSED))
		found(f, CHECK_FEATURE_CONTRADICTS, 72, "header", "COMPRESSED among the features",
		      "none, and %" PRIu64 " compressed records", nr_packed);
}
