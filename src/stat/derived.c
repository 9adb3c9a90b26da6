/* SPDX-License-Identifier: MIT */
#include "stat/derived.h"

#include <math.h>
#include <string.h>

/* The divisor of a count, beside the count of another event. */
#define BY_DURATION NULL
#define CLOCK "task-clock"

struct rule {
	struct sonde_stat_metric pub;
	const char *event, *other;   /* other divides event */
	double factor;               /* of the quotient; clocks count ns */
	const char *unit;
};

#define RATIO(name, unit, event, other, factor) { { name, event "," other }, event, other, factor, unit }

static const struct rule rules[] = {
	{ { "CPUs_utilized", CLOCK }, CLOCK, BY_DURATION, 1e-9, "CPUs" },
	RATIO("cs_per_second", "cs/sec", "context-switches", CLOCK, 1e9),
	RATIO("migrations_per_second", "migrations/sec", "cpu-migrations", CLOCK, 1e9),
	RATIO("page_faults_per_second", "faults/sec", "page-faults", CLOCK, 1e9),
	RATIO("cycles_frequency", "GHz", "cpu-cycles", CLOCK, 1),
	RATIO("insn_per_cycle", "instructions", "instructions", "cpu-cycles", 1),
	RATIO("branch_frequency", "M/sec", "branches", CLOCK, 1e3),
	RATIO("branch_miss_rate", "%", "branch-misses", "branches", 100),
	RATIO("frontend_cycles_idle", "", "stalled-cycles-frontend", "cpu-cycles", 1),
	RATIO("backend_cycles_idle", "", "stalled-cycles-backend", "cpu-cycles", 1),
	RATIO("cache_miss_rate", "%", "cache-misses", "cache-references", 100),
	RATIO("l1d_miss_rate", "%", "L1-dcache-load-misses", "L1-dcache-loads", 100),
	RATIO("llc_miss_rate", "%", "LLC-load-misses", "LLC-loads", 100),
	RATIO("l1i_miss_rate", "%", "L1-icache-load-misses", "L1-icache-loads", 100),
	RATIO("dtlb_miss_rate", "%", "dTLB-load-misses", "dTLB-loads", 100),
	RATIO("itlb_miss_rate", "%", "iTLB-load-misses", "iTLB-loads", 100),
	RATIO("l1_prefetch_miss_rate", "%", "L1-dcache-prefetch-misses", "L1-dcache-prefetches", 100),
};

enum { NR_RULES = sizeof(rules) / sizeof(rules[0]) };

/* Other names of the events above, and a clock that serves as well. */
static const char *const aliases[][2] = {
	{ "task-clock", "cpu-clock" },
	{ "context-switches", "cs" },
	{ "cpu-migrations", "migrations" },
	{ "page-faults", "faults" },
	{ "cpu-cycles", "cycles" },
};

static const char *alias_of(const char *event)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(event, aliases[i][0]))
			return aliases[i][1];
	return NULL;
}

/* "EVENT" or "EVENT:MODIFIERS" */
static bool row_is(const char *row, const char *event)
{
	size_t n = event ? strlen(event) : 0;

	return n && strncmp(row, event, n) == 0 && (!row[n] || row[n] == ':');
}

static double divisor_of(const struct stat_table *t, const struct stat_row *row, size_t key, const struct rule *r)
{
	const struct stat_cell *c;

	if (r->other == BY_DURATION)
		return t->seconds;
	c = stat_table_find(t, row, key, r->other);
	if (!c && alias_of(r->other))
		c = stat_table_find(t, row, key, alias_of(r->other));
	return c ? c->value.mean : NAN;
}

static bool is_of(const struct rule *r, const char *row)
{
	return row_is(row, r->event) || row_is(row, alias_of(r->event));
}

static bool is_wanted(const struct stat_table *t, const struct rule *r)
{
	for (size_t i = 0; i < t->chosen.n; i++)
		if (!strcmp(t->chosen.at[i], r->pub.name))
			return true;
	return t->chosen.n == 0;
}

/* By a rule that perf has built in, too. */
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
		out->name = rules[i].pub.name;
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
	if (i < row->metrics.n && stat_metric_value(t->metrics, row->metrics.at[i], t, row, key, out))
		return true;
	return i == 0 && derive_builtin(t, row, key, out);
}

const struct sonde_stat_metric *stat_rate_at(size_t i)
{
	return i < NR_RULES ? &rules[i].pub : NULL;
}
