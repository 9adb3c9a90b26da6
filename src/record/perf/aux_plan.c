/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_plan.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/host/pmu.h"

#define AREA_BYTES      (UINT64_C(4) << 20)
#define AREA_USER_BYTES (UINT64_C(128) << 10)
#define AREA_MAX_BYTES  (UINT64_C(1) << 40)

enum { INFO_INTEL_PT = 1 };

static const char *const traces[] = { "intel_pt", "intel_bts", "cs_etm", "arm_spe", "hisi_ptt" };

bool is_aux_event(const struct event *e)
{
	for (size_t i = 0; e->pmu && i < ARRAY_SIZE(traces); i++)
		if (!strncmp(e->pmu, traces[i], strlen(traces[i])))
			return true;
	return false;
}

/* The event and what was before it in the list. */
static void move_to_front(struct events *list, size_t i)
{
	struct event e = list->at[i];

	memmove(list->at + 1, list->at, i * sizeof(*list->at));
	list->at[0] = e;
	list->at[0].leader = 0;
	for (size_t k = 1; k <= i; k++)
		list->at[k].leader++;
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
	if (e->leader != found || (found + 1 < list->n && list->at[found + 1].leader == found))
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%.80s: a hardware trace is in no group", e->name);
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
	size_t found = 0;
	int e;

	while (found < r->events.n && !is_aux_event(&r->events.at[found]))
		found++;
	if (found == r->events.n)
		return 0;
	if ((e = refuse(r, found)) < 0)
		return e;
	move_to_front(&r->events, found);
	if (!r->events.at[0].freq && !r->events.at[0].period)
		r->events.at[0].period = 1;
	r->aux = (struct aux_settings){ .bytes = area_bytes(r->opts.aux_bytes), .snapshot = r->opts.overwrite,
					.at_end = r->opts.overwrite && !r->opts.snapshot };
	r->opts.overwrite = false;   /* the area is; the rings have the side band of the whole time */
	r->opts.switch_events = r->opts.cpu = true;
	return 0;
}

void aux_plan_attrs(struct sonde_perf_recorder *r)
{
	uint64_t quarter = r->aux.bytes / 4;

	if (r->aux.bytes && !r->aux.snapshot)
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
