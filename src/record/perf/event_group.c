/* SPDX-License-Identifier: MIT */
#include "record/perf/event_group.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* PMUs with an AUX area, which may lead events of others. */
static bool leads_others(const struct event *e)
{
	static const char *const begins[] = { "intel_pt", "intel_bts", "arm_spe_", "cs_etm", "hisi_ptt", "s390_cpum" };

	for (size_t i = 0; e->pmu && i < ARRAY_SIZE(begins); i++)
		if (!strncmp(e->pmu, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The PMU that the event occupies; "" for the one of generic events; NULL: any, it is software. */
static const char *pmu_of(const struct event *e)
{
	if (e->attr.type == PERF_TYPE_SOFTWARE || e->attr.type == PERF_TYPE_TRACEPOINT ||
	    e->attr.type == PERF_TYPE_BREAKPOINT || e->attr.type == EVENT_TYPE_TOOL)
		return NULL;
	return e->pmu && strcmp(e->pmu, "cpu") != 0 ? e->pmu : "";
}

/* Moves the events of the PMU of the first one to the front of at[0..n); their number. */
static size_t gather(struct event *at, size_t n, struct event *others)
{
	const char *pmu = NULL, *last = NULL;
	size_t same = 0, rest = 0;

	for (size_t i = 0; i < n && !pmu; i++)
		pmu = pmu_of(&at[i]);
	for (size_t i = 0; i < n; i++) {
		const char *its = pmu_of(&at[i]);

		last = its ? its : last;
		if (!last || !strcmp(last, pmu))
			at[same++] = at[i];
		else
			others[rest++] = at[i];
	}
	memcpy(at + same, others, rest * sizeof(*at));
	return same;
}

int event_group_form(struct events *list, size_t first, const char *name)
{
	size_t left = list->n - first, n;
	bool whole = leads_others(&list->at[first]);
	struct event *others = calloc(left, sizeof(*others));

	if (!others)
		return -SONDE_NOMEM;
	for (size_t at = first; left > 0; at += n, left -= n) {
		n = whole ? left : gather(list->at + at, left, others);
		for (size_t i = at; i < at + n; i++) {
			list->at[i].leader = (uint32_t)at;
			list->at[i].group = name;
		}
	}
	free(others);
	return 0;
}
