/* SPDX-License-Identifier: MIT */
#include "cli/stat/derived.h"

#include <math.h>
#include <string.h>

#include "cli/stat/metrics.h"

enum divisor { BY_EVENT, BY_CLOCK, BY_DURATION };

struct rule {
	const char *name;            /* of the metric */
	const char *event, *other;   /* BY_EVENT: other divides event */
	enum divisor by;
	double factor;               /* of the quotient; clocks count ns */
	const char *unit;
	const char *events;          /* for -M */
};

#define CLOCK "task-clock"

static const struct rule rules[] = {
	{ "CPUs_utilized", "task-clock", NULL, BY_DURATION, 1e-9, "CPUs  CPUs_utilized", CLOCK },
	{ "CPUs_utilized", "cpu-clock", NULL, BY_DURATION, 1e-9, "CPUs  CPUs_utilized", CLOCK },
	{ "cs_per_second", "context-switches", NULL, BY_CLOCK, 1e9, "cs/sec  cs_per_second",
	  "context-switches," CLOCK },
	{ "cs_per_second", "cs", NULL, BY_CLOCK, 1e9, "cs/sec  cs_per_second", "context-switches," CLOCK },
	{ "migrations_per_second", "cpu-migrations", NULL, BY_CLOCK, 1e9, "migrations/sec  migrations_per_second",
	  "cpu-migrations," CLOCK },
	{ "migrations_per_second", "migrations", NULL, BY_CLOCK, 1e9, "migrations/sec  migrations_per_second",
	  "cpu-migrations," CLOCK },
	{ "page_faults_per_second", "page-faults", NULL, BY_CLOCK, 1e9, "faults/sec  page_faults_per_second",
	  "page-faults," CLOCK },
	{ "page_faults_per_second", "faults", NULL, BY_CLOCK, 1e9, "faults/sec  page_faults_per_second",
	  "page-faults," CLOCK },
	{ "cycles_frequency", "cpu-cycles", NULL, BY_CLOCK, 1, "GHz  cycles_frequency", "cpu-cycles," CLOCK },
	{ "cycles_frequency", "cycles", NULL, BY_CLOCK, 1, "GHz  cycles_frequency", "cpu-cycles," CLOCK },
	{ "insn_per_cycle", "instructions", "cpu-cycles", BY_EVENT, 1, "instructions  insn_per_cycle",
	  "instructions,cpu-cycles" },
	{ "insn_per_cycle", "instructions", "cycles", BY_EVENT, 1, "instructions  insn_per_cycle",
	  "instructions,cpu-cycles" },
	{ "branch_frequency", "branches", NULL, BY_CLOCK, 1e3, "M/sec  branch_frequency", "branches," CLOCK },
	{ "branch_miss_rate", "branch-misses", "branches", BY_EVENT, 100, "%  branch_miss_rate",
	  "branch-misses,branches" },
	{ "frontend_cycles_idle", "stalled-cycles-frontend", "cpu-cycles", BY_EVENT, 1, "frontend_cycles_idle",
	  "stalled-cycles-frontend,cpu-cycles" },
	{ "frontend_cycles_idle", "stalled-cycles-frontend", "cycles", BY_EVENT, 1, "frontend_cycles_idle",
	  "stalled-cycles-frontend,cpu-cycles" },
	{ "backend_cycles_idle", "stalled-cycles-backend", "cpu-cycles", BY_EVENT, 1, "backend_cycles_idle",
	  "stalled-cycles-backend,cpu-cycles" },
	{ "backend_cycles_idle", "stalled-cycles-backend", "cycles", BY_EVENT, 1, "backend_cycles_idle",
	  "stalled-cycles-backend,cpu-cycles" },
	{ "cache_miss_rate", "cache-misses", "cache-references", BY_EVENT, 100, "%  cache_miss_rate",
	  "cache-misses,cache-references" },
	{ "l1d_miss_rate", "L1-dcache-load-misses", "L1-dcache-loads", BY_EVENT, 100, "%  l1d_miss_rate",
	  "L1-dcache-load-misses,L1-dcache-loads" },
	{ "llc_miss_rate", "LLC-load-misses", "LLC-loads", BY_EVENT, 100, "%  llc_miss_rate",
	  "LLC-load-misses,LLC-loads" },
	{ "l1i_miss_rate", "L1-icache-load-misses", "L1-icache-loads", BY_EVENT, 100, "%  l1i_miss_rate",
	  "L1-icache-load-misses,L1-icache-loads" },
	{ "dtlb_miss_rate", "dTLB-load-misses", "dTLB-loads", BY_EVENT, 100, "%  dtlb_miss_rate",
	  "dTLB-load-misses,dTLB-loads" },
	{ "itlb_miss_rate", "iTLB-load-misses", "iTLB-loads", BY_EVENT, 100, "%  itlb_miss_rate",
	  "iTLB-load-misses,iTLB-loads" },
	{ "l1_prefetch_miss_rate", "L1-dcache-prefetch-misses", "L1-dcache-prefetches", BY_EVENT, 100,
	  "%  l1_prefetch_miss_rate", "L1-dcache-prefetch-misses,L1-dcache-prefetches" },
};

enum { NR_RULES = sizeof(rules) / sizeof(rules[0]) };

static bool is_of(const struct rule *r, const char *row)
{
	size_t n = strlen(r->event);

	return strncmp(row, r->event, n) == 0 && (!row[n] || row[n] == ':');
}

static double divisor_of(const struct stat_table *t, const struct stat_row *row, size_t key, const struct rule *r)
{
	const struct stat_cell *c;

	if (r->by == BY_DURATION)
		return t->seconds;
	c = table_find(t, row, key, r->by == BY_EVENT ? r->other : "task-clock");
	if (!c && r->by == BY_CLOCK)
		c = table_find(t, row, key, "cpu-clock");
	return c ? c->value.mean : NAN;
}

static bool is_wanted(const struct stat_table *t, const struct rule *r)
{
	for (size_t i = 0; i < t->nr_metrics; i++)
		if (!strcmp(t->metrics[i], r->name))
			return true;
	return t->nr_metrics == 0;
}

/* By a rule that perf has built in. */
static bool derive_builtin(const struct stat_table *t, const struct stat_row *row, size_t key,
			   struct stat_derived *out)
{
	bool any = false;

	out->threshold = STAT_NO_THRESHOLD;
	for (size_t i = 0; t->derived && i < NR_RULES; i++) {
		const struct stat_cell *cell = &row->cells[key];
		double divisor;

		if (!is_of(&rules[i], row->name) || !is_wanted(t, &rules[i]))
			continue;
		divisor = divisor_of(t, row, key, &rules[i]);
		out->unit = rules[i].unit;
		out->value = row->refused || cell->running.mean == 0 || divisor == 0 ? NAN :
			     cell->value.mean / divisor * rules[i].factor;
		any = true;
		if (!isnan(out->value))
			return true;
	}
	return any && !t->only_known;
}

bool stat_derive(const struct stat_table *t, const struct stat_row *row, size_t key, size_t i,
		 struct stat_derived *out)
{
	if (i < row->metrics.n && stat_metric_value(row->metrics.at[i], t, row, key, out))
		return true;
	return i == 0 && derive_builtin(t, row, key, out);
}

const char *stat_derived_events(const char *metric)
{
	for (size_t i = 0; i < NR_RULES; i++)
		if (!strcmp(rules[i].name, metric))
			return rules[i].events;
	return NULL;
}

const char *stat_derived_at(size_t i)
{
	for (size_t k = 0; k < NR_RULES; k++) {
		if (k > 0 && !strcmp(rules[k].name, rules[k - 1].name))
			continue;
		if (i-- == 0)
			return rules[k].name;
	}
	return NULL;
}
