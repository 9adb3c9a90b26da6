/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_arm.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"

enum { INFO_CORESIGHT = 3, INFO_ARM_SPE = 4 };  /* types of AUXTRACE_INFO */

#define SPE_VERSION       2
#define SPE_HEADER_WORDS  4
#define SPE_CPU_WORDS     7
#define SPE_CPU_MAGIC     UINT64_C(0x1010101010101010)
#define SPE_PERIOD        4096       /* the longest interval that each processor can count */

#define CORESIGHT_VERSION      2
#define CORESIGHT_HEADER_WORDS 4     /* with the type */
#define CORESIGHT_CPU_WORDS    3     /* before the registers of a CPU */
#define CORESIGHT_LAST_ID      48    /* trace ids end there */
#define ETM_WORDS_MAX          9     /* registers and settings of a CPU */

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
	const struct cpus *from = r->target.measured.n ? &r->target.measured : &r->target.cpus;

	if (r->rings.by_thread)
		return cpus_online(out, r->roots.sysfs);
	for (size_t i = 0; i < from->n; i++)
		if (vec_push(out, from->at[i]) < 0)
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

/* The sink of the term @NAME; without one the kernel takes the nearest. */
int aux_coresight_complete(struct sonde_perf_recorder *r, struct event *e, const struct pmu *pmu)
{
	const char *sink = e->driver_config;
	int len = sink ? (int)strcspn(sink, ",") : 0;
	uint64_t id;

	if (r->opts.clock == SONDE_CLOCK_ID)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "%.80s: this hardware trace goes with no other clock",
			       e->name);
	if (!sink || (uint32_t)e->attr.config2)
		return 0;
	if (memchr(sink, '/', (size_t)len) || !sysfile_u64(&id, "%s/sinks/%.*s", pmu->dir, len, sink))
		return err_set(&r->err, SONDE_MISSING, SONDE_NONE, "%.80s: there is no sink '%.*s'", e->name,
			       len < 80 ? len : 80, sink);
	e->attr.config2 |= (uint32_t)id;
	return 0;
}

/* The register of the settings as the driver writes it; ETMv3 has the bits of attr.config. */
static uint64_t trcconfigr(const struct pmu *pmu, uint64_t config)
{
	static const struct {
		const char *term;
		uint64_t bits;
	} rows[] = {
		{ "branch_broadcast", 1 << 3 }, { "cycacc", 1 << 4 }, { "contextid1", 1 << 6 },
		{ "contextid2", 1 << 7 | 1 << 15 }, { "timestamp", 1 << 11 }, { "retstack", 1 << 12 },
	};
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		bits |= config & pmu_config_bits(pmu, rows[i].term) ? rows[i].bits : 0;
	/* before Linux 5.13, the one context id was the first */
	if (!pmu_config_bits(pmu, "contextid1") && config & pmu_config_bits(pmu, "contextid"))
		bits |= 1 << 6;
	return bits;
}

static uint64_t etm_register(const struct pmu *pmu, int32_t cpu, const char *name)
{
	uint64_t v = 0;

	sysfile_u64(&v, "%s/cpu%d/%s", pmu->dir, cpu, name);
	return v;
}

/* 1: the time stamps are those of the virtual counter; -1: the kernel does not tell. */
static uint64_t time_source(const struct pmu *pmu, int32_t cpu)
{
	uint64_t v;

	return sysfile_u64(&v, "%s/cpu%d/ts_source", pmu->dir, cpu) ? v : UINT64_MAX;
}

/* The words of a CPU, by the kind of its trace unit: ETMv3, ETMv4, ETE. */
static size_t describe_etm(const struct sonde_perf_recorder *r, const struct pmu *pmu, int32_t cpu, uint64_t *words)
{
	static const char *const v3[] = { "mgmt/etmccer", "mgmt/etmidr" };
	static const char *const v4[] = { "trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2", "trcidr/trcidr8",
					  "mgmt/trcauthstatus", "mgmt/trcdevarch" };
	uint64_t config = r->events.at[0].attr.config, devarch = etm_register(pmu, cpu, "mgmt/trcdevarch"), unused;
	bool is_v4 = sysfile_u64(&unused, "%s/cpu%d/%s", pmu->dir, cpu, v4[0]);
	bool is_ete = is_v4 && (devarch & 0xffff) == 0x5a13;
	const char *const *names = is_v4 ? v4 : v3;
	size_t nr = is_ete ? ARRAY_SIZE(v4) : is_v4 ? ARRAY_SIZE(v4) - 1 : ARRAY_SIZE(v3), n = CORESIGHT_CPU_WORDS;

	words[n++] = is_v4 ? trcconfigr(pmu, config) : config;
	/* of kernels before 6.3; others give the ids out, and tell them in the records AUX_OUTPUT_HW_ID */
	words[n++] = 0x10 + 2 * (uint64_t)(cpu % CORESIGHT_LAST_ID);
	for (size_t i = 0; i < nr; i++)
		words[n++] = etm_register(pmu, cpu, names[i]);
	if (is_v4)
		words[n++] = time_source(pmu, cpu);
	words[0] = is_ete ? UINT64_C(0x5050505050505050) : is_v4 ? UINT64_C(0x4040404040404040) :
								   UINT64_C(0x3030303030303030);
	words[1] = (uint64_t)cpu;
	words[2] = n - CORESIGHT_CPU_WORDS;
	return n;
}

size_t aux_coresight_info(const struct sonde_perf_recorder *r, const struct pmu *pmu, uint64_t *words, size_t max)
{
	size_t n = CORESIGHT_HEADER_WORDS, nr_cpus = 0;
	struct cpus cpus = { 0 };

	if (cpus_of_trace(r, &cpus) == 0)
		for (; nr_cpus < cpus.n && n + CORESIGHT_CPU_WORDS + ETM_WORDS_MAX <= max; nr_cpus++)
			n += describe_etm(r, pmu, cpus.at[nr_cpus], words + n);
	vec_free(&cpus);
	words[0] = INFO_CORESIGHT;
	words[1] = CORESIGHT_VERSION;
	words[2] = (uint64_t)pmu->type << 32 | nr_cpus;
	words[3] = r->aux.snapshot;
	return n;
}
