/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_plan.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/perf/aux_kind.h"

#define AREA_BYTES      (UINT64_C(4) << 20)
#define AREA_USER_BYTES (UINT64_C(128) << 10)
#define AREA_MAX_BYTES  (UINT64_C(1) << 40)
#define SAMPLE_MAX_BYTES (60u << 10)  /* a record has at most 64 KiB */

/* The group of @n events that begins with i changes places with the events before it. */
static int move_to_front(struct events *list, size_t i, size_t n)
{
	struct event *before = malloc((i ? i : 1) * sizeof(*before));

	if (!before)
		return -SONDE_NOMEM;
	memcpy(before, list->at, i * sizeof(*before));
	memmove(list->at, list->at + i, n * sizeof(*before));
	memcpy(list->at + n, before, i * sizeof(*before));
	for (size_t k = 0; k < i + n; k++)
		list->at[k].leader = k < n ? 0 : list->at[k].leader + (uint32_t)n;
	free(before);
	return 0;
}

static size_t group_size(const struct events *list, size_t leader)
{
	size_t n = 1;

	while (leader + n < list->n && list->at[leader + n].leader == leader)
		n++;
	return n;
}

/* The samples of the other events of the group have a part of the trace. */
static int plan_samples(struct sonde_perf_recorder *r, size_t found, size_t n, uint32_t *most)
{
	struct event *e = &r->events.at[found];

	*most = 0;
	for (size_t i = 1; i < n; i++) {
		if (!e[i].attr.aux_sample_size)
			e[i].attr.aux_sample_size = r->opts.rings.aux_sample_bytes;
		*most = *most < e[i].attr.aux_sample_size ? e[i].attr.aux_sample_size : *most;
	}
	if (*most > SAMPLE_MAX_BYTES)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "a sample holds at most %u bytes of a hardware trace",
			       SAMPLE_MAX_BYTES);
	if (!*most && r->opts.rings.aux_sample_bytes)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "no event has samples of the trace: group them after %.80s, as {%.80s,cycles:u}",
			       e->name, e->name);
	if (*most && !aux_kind_find(e->pmu)->sampled)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: parts of this hardware trace cannot be in samples", e->name);
	if (!*most && n > 1)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace leads only a group whose samples have parts of it", e->name);
	return 0;
}

static uint64_t area_bytes(uint64_t wanted)
{
	uint64_t bytes = 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	if (!wanted)
		wanted = geteuid() == 0 ? AREA_BYTES : AREA_USER_BYTES;
	while (bytes < wanted && bytes < AREA_MAX_BYTES)
		bytes *= 2;
	return bytes;
}

static int refuse(struct sonde_perf_recorder *r, size_t found)
{
	const struct events *list = &r->events;
	const struct event *e = &list->at[found];
	const struct aux_kind *kind = aux_kind_find(e->pmu);

	if (!kind->info)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: hardware traces of this PMU are not recorded", e->name);
	if (kind->by_thread && !r->opts.target.per_thread)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "%.80s: this hardware trace is recorded by thread only, with --per-thread", e->name);
	if (e->leader != found)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace is the first event of its group", e->name);
	for (size_t i = found + 1; i < list->n; i++)
		if (aux_kind_find(list->at[i].pmu))
			return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
				       "%.80s and %.80s: one hardware trace at a time", e->name, list->at[i].name);
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].cgroup)
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s: a hardware trace is not recorded for control groups", e->name);
	if (r->opts.switching.switch_output)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace stays in one file", e->name);
	return 0;
}

/* Completes the attr as the driver wants it. */
static int complete(struct sonde_perf_recorder *r, struct event *e)
{
	const struct aux_kind *kind = aux_kind_find(e->pmu);
	struct pmu pmu;

	if (!pmu_open(&pmu, r->roots.sysfs, e->pmu))
		return err_set(&r->err, SONDE_MISSING, SONDE_NONE, "%.80s: the PMU has gone", e->name);
	if (kind->period && !e->period)
		e->period = r->opts.rate.period ? r->opts.rate.period : kind->period(&pmu);
	if (!e->freq && !e->period)
		e->period = 1;
	return kind->complete ? kind->complete(r, e, &pmu) : 0;
}

int aux_plan(struct sonde_perf_recorder *r)
{
	size_t found = 0, n;
	uint32_t sample;
	int e;

	while (found < r->events.n && !aux_kind_find(r->events.at[found].pmu))
		found++;
	if (found == r->events.n && r->opts.rings.aux_sample_bytes)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "no event is a hardware trace of which samples could have parts: group them after one, "
			       "as {intel_pt//,cycles:u}");
	if (found == r->events.n)
		return 0;
	if ((e = refuse(r, found)) < 0)
		return e;
	n = group_size(&r->events, found);
	if ((e = plan_samples(r, found, n, &sample)) < 0)
		return e;
	if (move_to_front(&r->events, found, n) < 0)
		return err_nomem(&r->err);
	if ((e = complete(r, &r->events.at[0])) < 0)
		return e;
	if (sample && r->opts.rings.overwrite)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "a hardware trace is in samples or in snapshots, not in both");
	r->aux = (struct aux_settings){ .kind = aux_kind_find(r->events.at[0].pmu),
					.bytes = area_bytes(r->opts.rings.aux_bytes ? r->opts.rings.aux_bytes : sample),
					.snapshot = r->opts.rings.overwrite, .sampled = sample > 0,
					.at_end = r->opts.rings.overwrite && !r->opts.rings.snapshot };
	r->opts.rings.overwrite = false;   /* the area is; the rings have the side band of the whole time */
	if (!r->aux.kind->by_thread)
		r->opts.side.switch_events = r->opts.fields.cpu = true;
	return 0;
}

void aux_plan_attrs(struct sonde_perf_recorder *r)
{
	uint64_t quarter = r->aux.bytes / 4;

	if (r->aux.kind && r->aux.kind->quarters && !r->aux.snapshot && !r->aux.sampled)
		r->events.at[0].attr.aux_watermark = quarter < UINT32_MAX ? (uint32_t)quarter : UINT32_MAX;
}

int aux_plan_map(struct sonde_perf_recorder *r)
{
	const struct aux_area like = {
		.bytes = (size_t)r->aux.bytes, .snapshot = r->aux.snapshot || r->aux.sampled,
		.record_bytes = r->aux.kind ? r->aux.kind->record_bytes : 0,
	};

	return ring_set_map_aux(&r->rings, &like, &r->err);
}

size_t aux_plan_info(const struct sonde_perf_recorder *r, uint64_t *words, size_t max)
{
	struct pmu p;

	return pmu_open(&p, r->roots.sysfs, r->events.at[0].pmu) ? r->aux.kind->info(r, &p, words, max) : 0;
}
