/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_kind.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/event/aux_driver.h"
#include "record/perf/aux_arm.h"

enum { INFO_INTEL_PT = 1, INFO_INTEL_BTS = 2 };  /* types of AUXTRACE_INFO */

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

/* The page of a ring, which has the clock; NULL: no ring is left. */
static const struct perf_event_mmap_page *clock_page(const struct sonde_perf_recorder *r)
{
	const struct perf_event_mmap_page *page = NULL;

	for (size_t i = 0; !page && i < r->rings.nr; i++)
		page = r->rings.rings[i].map;
	return page;
}

static size_t info_intel_pt(const struct sonde_perf_recorder *r, const struct pmu *p, uint64_t *words, size_t max)
{
	const struct perf_event_mmap_page *page = clock_page(r);
	const struct event *e = &r->events.at[0];
	const char *filter = e->filters.n ? e->filters.at[0] : "";
	size_t length = strlen(filter), n = 0;
	uint64_t tsc_n, tsc_d, ratio = 0, event_trace = 0;

	if (!page)
		return 0;
	read_ratio(p, &tsc_n, &tsc_d);
	sysfile_u64(&ratio, "%s/max_nonturbo_ratio", p->dir);
	sysfile_u64(&event_trace, "%s/caps/event_trace", p->dir);
	const uint64_t all[] = {
		INFO_INTEL_PT,       /* u32 type, u32 reserved */
		p->type, page->time_shift, page->time_mult, page->time_zero, page->cap_user_time_zero,
		pmu_config_bits(p, "tsc"), pmu_config_bits(p, "noretcomp"),
		r->target.system_wide ? 3 : 2,  /* context switches are in the side band, with both tasks or one */
		r->aux.snapshot, !r->rings.by_thread, pmu_config_bits(p, "mtc"), pmu_config_bits(p, "mtc_period"),
		tsc_n, tsc_d, pmu_config_bits(p, "cyc"), ratio, length,
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

static size_t info_intel_bts(const struct sonde_perf_recorder *r, const struct pmu *p, uint64_t *words, size_t max)
{
	const struct perf_event_mmap_page *page = clock_page(r);

	if (!page)
		return 0;
	const uint64_t all[] = {
		INFO_INTEL_BTS, p->type, page->time_shift, page->time_mult, page->time_zero, page->cap_user_time_zero,
		r->aux.snapshot,
	};

	if (ARRAY_SIZE(all) > max)
		return 0;
	memcpy(words, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static const struct aux_kind kinds[NR_AUX_DRIVERS] = {
	[AUX_INTEL_PT] = { .sampled = true, .quarters = true, .info = info_intel_pt },
	[AUX_INTEL_BTS] = { .by_thread = true, .record_bytes = 24, .info = info_intel_bts },
	[AUX_ARM_SPE] = { .period = aux_arm_spe_period, .complete = aux_arm_spe_complete, .info = aux_arm_spe_info },
	[AUX_CORESIGHT] = { .complete = aux_coresight_complete, .info = aux_coresight_info },
};

const struct aux_kind *aux_kind_find(const char *pmu)
{
	enum aux_driver driver = aux_driver_of(pmu);

	return driver == AUX_NONE ? NULL : &kinds[driver];
}
