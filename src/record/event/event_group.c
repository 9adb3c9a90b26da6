/* SPDX-License-Identifier: MIT */
#include "record/event/event_group.h"

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
	    e->attr.type == PERF_TYPE_BREAKPOINT)
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

/* Moves the events that the kernel does not count after the others, each by itself; the number of the others. */
static size_t part_from_tools(struct events *list, size_t first, struct event *tools)
{
	size_t kept = first, nr = 0;

	for (size_t i = first; i < list->n; i++)
		if (list->at[i].attr.type == EVENT_TYPE_TOOL)
			tools[nr++] = list->at[i];
		else
			list->at[kept++] = list->at[i];
	memcpy(list->at + kept, tools, nr * sizeof(*tools));
	for (size_t i = kept; i < list->n; i++)
		list->at[i].leader = (uint32_t)i;
	return kept - first;
}

int event_group_form(struct events *list, size_t first, const char *name)
{
	size_t left = list->n - first, n;
	struct event *others = calloc(left, sizeof(*others));
	bool whole;

	if (!others)
		return -SONDE_NOMEM;
	left = part_from_tools(list, first, others);
	whole = left && leads_others(&list->at[first]);
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
