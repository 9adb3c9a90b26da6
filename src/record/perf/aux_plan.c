/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_plan.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/host/pmu.h"

#define AREA_BYTES      (UINT64_C(4) << 20)
#define AREA_USER_BYTES (UINT64_C(128) << 10)
#define AREA_MAX_BYTES  (UINT64_C(1) << 40)
#define SAMPLE_MAX_BYTES (60u << 10)  /* a record has at most 64 KiB */

enum { INFO_INTEL_PT = 1 };

static const char *const traces[] = { "intel_pt", "intel_bts", "cs_etm", "arm_spe", "hisi_ptt" };

bool is_aux_event(const struct event *e)
{
	for (size_t i = 0; e->pmu && i < ARRAY_SIZE(traces); i++)
		if (!strncmp(e->pmu, traces[i], strlen(traces[i])))
			return true;
	return false;
}

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
			e[i].attr.aux_sample_size = r->opts.aux_sample_bytes;
		*most = *most < e[i].attr.aux_sample_size ? e[i].attr.aux_sample_size : *most;
	}
	if (*most > SAMPLE_MAX_BYTES)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "a sample holds at most %u bytes of a hardware trace",
			       SAMPLE_MAX_BYTES);
	if (!*most && r->opts.aux_sample_bytes)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "no event has samples of the trace: group them behind %.80s, as {%.80s,cycles:u}",
			       e->name, e->name);
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

	if (strcmp(e->pmu, "intel_pt") != 0)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: of the hardware traces, only intel_pt is recorded", e->name);
	if (e->leader != found)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace is the first event of its group", e->name);
	for (size_t i = found + 1; i < list->n; i++)
		if (is_aux_event(&list->at[i]))
			return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
				       "%.80s and %.80s: one hardware trace at a time", e->name, list->at[i].name);
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].cgroup)
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s: a hardware trace is not recorded for control groups", e->name);
	if (r->opts.switch_output)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace stays in one file", e->name);
	return 0;
}

int aux_plan(struct sonde_perf_recorder *r)
{
	size_t found = 0, n;
	uint32_t sample;
	int e;

	while (found < r->events.n && !is_aux_event(&r->events.at[found]))
		found++;
	if (found == r->events.n)
		return 0;
	if ((e = refuse(r, found)) < 0)
		return e;
	n = group_size(&r->events, found);
	if ((e = plan_samples(r, found, n, &sample)) < 0)
		return e;
	if (move_to_front(&r->events, found, n) < 0)
		return err_nomem(&r->err);
	if (!r->events.at[0].freq && !r->events.at[0].period)
		r->events.at[0].period = 1;
	if (sample && r->opts.overwrite)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "a hardware trace is in samples or in snapshots, not in both");
	r->aux = (struct aux_settings){ .bytes = area_bytes(r->opts.aux_bytes ? r->opts.aux_bytes : sample),
					.snapshot = r->opts.overwrite, .sampled = sample > 0,
					.at_end = r->opts.overwrite && !r->opts.snapshot };
	r->opts.overwrite = false;   /* the area is; the rings have the side band of the whole time */
	r->opts.switch_events = r->opts.cpu = true;
	return 0;
}

void aux_plan_attrs(struct sonde_perf_recorder *r)
{
	uint64_t quarter = r->aux.bytes / 4;

	if (r->aux.bytes && !r->aux.snapshot && !r->aux.sampled)
		r->events.at[0].attr.aux_watermark = quarter < UINT32_MAX ? (uint32_t)quarter : UINT32_MAX;
}

static uint64_t format_bits(const struct pmu *p, const char *term)
{
	struct pmu_format f;

	return pmu_format(p, term, &f) && f.word == 0 ? f.mask : 0;
}

/* The ratio of the time stamp counter to the core crystal clock, "N:D"; 0 if it is not known. */
static void read_ratio(const struct pmu *p, uint64_t *n, uint64_t *d)
{
	unsigned long long a, b;
	char text[64];

	*n = *d = 0;
	if (sysfile_read(text, sizeof(text), "%s/tsc_art_ratio", p->dir) > 0 &&
	    sscanf(text, "%llu:%llu", &a, &b) == 2) {
		*n = a;
		*d = b;
	}
}

size_t aux_plan_info(const struct sonde_perf_recorder *r, uint64_t *words, size_t max)
{
	const struct perf_event_mmap_page *page = r->rings.rings[0].map;
	const struct event *e = &r->events.at[0];
	const char *filter = e->filters.n ? e->filters.at[0] : "";
	size_t length = strlen(filter), n = 0;
	uint64_t tsc_n, tsc_d, ratio = 0, event_trace = 0;
	struct pmu p;

	for (size_t i = 0; !page && i < r->rings.nr; i++)
		page = r->rings.rings[i].map;
	if (!page || !pmu_open(&p, r->roots.sysfs, e->pmu))
		return 0;
	read_ratio(&p, &tsc_n, &tsc_d);
	sysfile_u64(&ratio, "%s/max_nonturbo_ratio", p.dir);
	sysfile_u64(&event_trace, "%s/caps/event_trace", p.dir);
	const uint64_t all[] = {
		INFO_INTEL_PT,       /* u32 type, u32 reserved */
		p.type, page->time_shift, page->time_mult, page->time_zero, page->cap_user_time_zero,
		format_bits(&p, "tsc"), format_bits(&p, "noretcomp"),
		r->target.system_wide ? 3 : 2,  /* context switches are in the side band, with both tasks or one */
		r->aux.snapshot, !r->rings.by_thread, format_bits(&p, "mtc"), format_bits(&p, "mtc_period"),
		tsc_n, tsc_d, format_bits(&p, "cyc"), ratio, length,
	};

	n = ARRAY_SIZE(all);
	if (n + (length + 8) / 8 + 1 > max)
		return 0;
	memcpy(words, all, sizeof(all));
	if (length) {
		memset(&words[n], 0, (length + 8) / 8 * 8);
		memcpy(&words[n], filter, length);
		n += (length + 8) / 8;
	}
	words[n++] = event_trace;
	return n;
}
