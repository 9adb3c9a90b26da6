/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_arm.h"

#include <linux/perf_event.h>

#include "base/bytes.h"

enum { INFO_ARM_SPE = 4 };           /* type of AUXTRACE_INFO */

#define SPE_VERSION       2
#define SPE_HEADER_WORDS  4
#define SPE_CPU_WORDS     7
#define SPE_CPU_MAGIC     UINT64_C(0x1010101010101010)
#define SPE_PERIOD        4096       /* the longest interval that each processor can count */

uint64_t aux_arm_spe_period(const struct pmu *pmu)
{
	uint64_t shortest = 0;

	return sysfile_u64(&shortest, "%s/caps/min_interval", pmu->dir) && shortest ? shortest : SPE_PERIOD;
}

/* The kernel ignores both bits: they tell reports that the decoded samples have memory accesses. */
int aux_arm_spe_complete(struct sonde_perf_recorder *r, struct event *e, const struct pmu *pmu)
{
	(void)r;
	e->attr.sample_type |= PERF_SAMPLE_DATA_SRC;
	if (e->attr.config & pmu_config_bits(pmu, "pa_enable"))
		e->attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	return 0;
}

static bool has_cpu(const struct cpus *cpus, int32_t cpu)
{
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->at[i] == cpu)
			return true;
	return cpus->n == 0;
}

static void describe_cpu(const struct sonde_perf_recorder *r, const struct pmu *pmu, int32_t cpu, uint64_t *words)
{
	bool traced = has_cpu(&r->events.at[0].cpus, cpu);
	uint64_t midr = 0, interval = 0, filter = 0;

	sysfile_u64(&midr, "%s/devices/system/cpu/cpu%d/regs/identification/midr_el1", r->roots.sysfs, cpu);
	if (traced) {
		sysfile_u64(&interval, "%s/caps/min_interval", pmu->dir);
		sysfile_u64(&filter, "%s/caps/event_filter", pmu->dir);
	}
	memcpy(words, (uint64_t[SPE_CPU_WORDS]){
			SPE_CPU_MAGIC, (uint64_t)cpu, SPE_CPU_WORDS - 3, midr,
			traced ? pmu->type : UINT64_MAX, interval, filter
		}, SPE_CPU_WORDS * sizeof(*words));
}

/* The CPUs that are recorded; of threads, all that are online. 0 or -SONDE_NOMEM. */
static int cpus_of_trace(const struct sonde_perf_recorder *r, struct cpus *out)
{
	if (r->rings.by_thread)
		return cpus_online(out, r->roots.sysfs);
	for (size_t i = 0; i < r->target.cpus.n; i++)
		if (vec_push(out, r->target.cpus.at[i]) < 0)
			return -SONDE_NOMEM;
	return 0;
}

size_t aux_arm_spe_info(const struct sonde_perf_recorder *r, const struct pmu *pmu, uint64_t *words, size_t max)
{
	size_t n = 1 + SPE_HEADER_WORDS, nr_cpus = 0;
	struct cpus cpus = { 0 };

	if (cpus_of_trace(r, &cpus) == 0)
		for (; nr_cpus < cpus.n && n + SPE_CPU_WORDS <= max; n += SPE_CPU_WORDS)
			describe_cpu(r, pmu, cpus.at[nr_cpus++], words + n);
	vec_free(&cpus);
	words[0] = INFO_ARM_SPE;
	words[1] = SPE_VERSION;
	words[2] = SPE_HEADER_WORDS;
	words[3] = pmu->type;
	words[4] = nr_cpus;
	return n;
}
