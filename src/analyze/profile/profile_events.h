/* SPDX-License-Identifier: MIT */
/* profile_events.h - the events of a profile: those of the same name in several traces are one */
#ifndef ANALYZE_PROFILE_PROFILE_EVENTS_H
#define ANALYZE_PROFILE_PROFILE_EVENTS_H

#include "analyze/profile/gathering.h"

/* profile_evsel() for one that has no number yet. */
uint32_t profile_add_evsel(struct gathering *p, const struct sonde_evsel *evsel);

/* The number of an evsel's event, in the order of the first call for each; UINT32_MAX when out of memory. */
static inline uint32_t profile_evsel(struct gathering *p, const struct sonde_evsel *evsel)
{
	if (evsel->index < p->trace.event_of_evsel.n && p->trace.event_of_evsel.at[evsel->index])
		return p->trace.event_of_evsel.at[evsel->index] - 1;
	return profile_add_evsel(p, evsel);
}

#endif
