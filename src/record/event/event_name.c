/* SPDX-License-Identifier: MIT */
#include "record/event/event_name.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "record/event/event.h"

#define CGROUP_SWITCHES 11   /* PERF_COUNT_SW_CGROUP_SWITCHES, in headers since Linux 5.13 */

static const struct generic_event generic[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, CGROUP_SWITCHES },
	{ "duration_time", EVENT_TYPE_TOOL, EVENT_DURATION_TIME },
	{ "user_time", EVENT_TYPE_TOOL, EVENT_USER_TIME },
	{ "system_time", EVENT_TYPE_TOOL, EVENT_SYSTEM_TIME },
	{ "has_pmem", EVENT_TYPE_TOOL, EVENT_HAS_PMEM },
	{ "num_cores", EVENT_TYPE_TOOL, EVENT_NUM_CORES },
	{ "num_cpus", EVENT_TYPE_TOOL, EVENT_NUM_CPUS },
	{ "num_cpus_online", EVENT_TYPE_TOOL, EVENT_NUM_CPUS_ONLINE },
	{ "num_dies", EVENT_TYPE_TOOL, EVENT_NUM_DIES },
	{ "num_packages", EVENT_TYPE_TOOL, EVENT_NUM_PACKAGES },
	{ "smt_on", EVENT_TYPE_TOOL, EVENT_SMT_ON },
	{ "system_tsc_freq", EVENT_TYPE_TOOL, EVENT_SYSTEM_TSC_FREQ },
};

/* CACHE[-OP][-RESULT]: the values of PERF_COUNT_HW_CACHE_*; the longest matching name wins. */
struct word {
	const char *name;
	uint8_t value;
};
static const struct word caches[] = {
	{ "L1-dcache", 0 }, { "L1-d", 0 }, { "L1d", 0 }, { "L1-data", 0 },
	{ "L1-icache", 1 }, { "L1-i", 1 }, { "L1i", 1 }, { "L1-instruction", 1 },
	{ "LLC", 2 }, { "L2", 2 },
	{ "dTLB", 3 }, { "d-tlb", 3 }, { "Data-TLB", 3 },
	{ "iTLB", 4 }, { "i-tlb", 4 }, { "Instruction-TLB", 4 },
	{ "branch", 5 }, { "branches", 5 }, { "bpu", 5 }, { "btb", 5 }, { "bpc", 5 },
	{ "node", 6 },
};
static const struct word ops[] = {
	{ "load", 0 }, { "loads", 0 }, { "read", 0 }, { "store", 1 }, { "stores", 1 }, { "write", 1 },
	{ "prefetch", 2 }, { "prefetches", 2 }, { "speculative-read", 2 }, { "speculative-load", 2 },
};
static const struct word results[] = {
	{ "refs", 0 }, { "Reference", 0 }, { "ops", 0 }, { "access", 0 }, { "misses", 1 }, { "miss", 1 },
};

/* Instruction caches are not stored to; instruction TLBs and branch units are only read. */
static const uint8_t cache_ops[] = { 7, 5, 7, 7, 1, 1, 7 };

/* The longest word that p begins with and that ends at a dash or the end. */
static const struct word *find_word(const struct word *words, size_t n, const char *p, size_t *len)
{
	const struct word *best = NULL;

	*len = 0;
	for (size_t i = 0; i < n; i++) {
		size_t k = strlen(words[i].name);

		if (k > *len && !strncasecmp(p, words[i].name, k) && (p[k] == '\0' || p[k] == '-')) {
			best = &words[i];
			*len = k;
		}
	}
	return best;
}

static bool cache_event(const char *name, struct generic_event *out)
{
	const struct word *cache, *op = NULL, *result = NULL;
	const char *p = name;
	size_t len;

	cache = find_word(caches, ARRAY_SIZE(caches), p, &len);
	if (!cache)
		return false;
	for (p += len; *p == '-'; p += len) {
		const struct word *w = NULL;

		p++;
		if (!op)
			op = w = find_word(ops, ARRAY_SIZE(ops), p, &len);
		if (!w && !result)
			result = w = find_word(results, ARRAY_SIZE(results), p, &len);
		if (!w)
			return false;
	}
	if (*p || !(cache_ops[cache->value] >> (op ? op->value : 0) & 1))
		return false;
	*out = (struct generic_event){ name, PERF_TYPE_HW_CACHE,
		cache->value | (uint64_t)(op ? op->value : 0) << 8 | (uint64_t)(result ? result->value : 0) << 16 };
	return true;
}

bool event_name_generic(const char *name, struct generic_event *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		if (!strcasecmp(name, generic[i].name)) {
			*out = generic[i];
			return true;
		}
	return cache_event(name, out);
}

const char *event_name_at(size_t i)
{
	return i < ARRAY_SIZE(generic) ? generic[i].name : NULL;
}

bool event_name_cache_at(size_t i, char *out, size_t size)
{
	static const char *const names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
	static const char *const accesses[] = { "loads", "stores", "prefetches" };
	static const char *const misses[] = { "load-misses", "store-misses", "prefetch-misses" };

	for (size_t cache = 0; cache < ARRAY_SIZE(names); cache++)
		for (size_t op = 0; op < ARRAY_SIZE(accesses); op++) {
			if (!(cache_ops[cache] >> op & 1))
				continue;
			if (i < 2) {
				snprintf(out, size, "%s-%s", names[cache], i ? misses[op] : accesses[op]);
				return true;
			}
			i -= 2;
		}
	return false;
}
