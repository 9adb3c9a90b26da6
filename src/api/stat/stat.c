/* SPDX-License-Identifier: MIT */
/*
 * stat.c - the handle of counts: a counter for each run, and what it has read as a table
 *
 *	sonde_stat_add()         choice.c   requests to the counter, rows of the table
 *	sonde_stat_open()                   a counter; that of a further run gets the same requests
 *	sonde_stat_take()                   its cells --> the table (room stat), and the file of sonde_stat_record()
 *	sonde_stat_next_round()  rounds.c   a recording's records --> the table
 *	sonde_stat_table()       tables.c   the table --> typed rows
 *
 * A handle has either a counter or a recording. The first sonde_stat_open() fixes rows and keys; those of further runs
 * are never other ones, for their cells add to the same means.
 */
#include "api/stat/stat.h"

#include <stdlib.h>
#include <string.h>

#include "api/stat/choice.h"
#include "api/stat/writer.h"
#include "base/opts.h"
#include "stat/counts.h"

/* A text of the program's, kept; NULL stays NULL. */
static int keep(struct sonde_stat *s, const char **text)
{
	if (*text)
		*text = arena_strndup(&s->arena, *text, strlen(*text));
	return *text ? 0 : -SONDE_NOMEM;
}

static int set_options(struct sonde_stat *s, const struct sonde_stat_opts *opts)
{
	int r = OPTS_TAKE(sonde_stat_opts, &s->opts, opts, &s->err);

	if (r == 0 && (unsigned)s->opts.by > SONDE_STAT_BY_NODE)
		r = err_set(&s->err, SONDE_USAGE, SONDE_NONE, "there is no aggregation %d", (int)s->opts.by);
	if (r < 0)
		return r;
	s->opts.sysfs = s->opts.sysfs ? s->opts.sysfs : "/sys";
	if (keep(s, &s->opts.sysfs) < 0 || (s->opts.pmu && keep(s, &s->opts.pmu) < 0))
		return err_nomem(&s->err);
	s->metrics.of_cpus = s->opts.of_cpus;
	s->metrics.no_thresholds = s->opts.no_thresholds;
	s->runs.keep = s->opts.keep_runs;
	s->table.by = s->opts.by;
	s->table.cache_level = s->opts.cache_level;
	s->table.sysfs = s->opts.sysfs;
	s->table.percore_cpus = s->opts.percore_cpus;
	s->table.metrics = &s->metrics;
	return choice_renew(s);
}

struct sonde_stat *sonde_stat_new(const struct sonde_stat_opts *opts)
{
	struct sonde_stat *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return NULL;
	err_clear(&s->err);
	r = set_options(s, opts);
	s->refused = r < 0;
	if (r == -SONDE_NOMEM) {
		sonde_stat_free(s);
		return NULL;
	}
	return s;
}

void sonde_stat_free(struct sonde_stat *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < NR_TABLES; i++)
		if (s->made[i])
			table_release(&s->tables[i]);
	stat_writer_free(s->writer);
	sonde_counter_free(s->counter);
	sonde_iter_free(s->iter);
	stat_recorded_free(&s->recorded);
	stat_table_free(&s->table);
	stat_metrics_free(&s->metrics);
	vec_free(&s->runs.values);
	vec_free(&s->requests);
	arena_free(&s->arena);
	free(s);
}

const struct sonde_error *sonde_stat_error(const struct sonde_stat *s)
{
	return &s->err;
}

struct sonde_counter *sonde_stat_counter(struct sonde_stat *s)
{
	return s->counter;
}

static int counter_failure(struct sonde_stat *s)
{
	s->err = *sonde_counter_error(s->counter);
	return -(int)s->err.code;
}

/* ---- runs ---- */

/* Which rates stand beside the counts. */
static void choose_rates(struct sonde_stat *s)
{
	s->table.derived = s->has_metrics || s->has_groups || !s->has_events || !s->opts.no_rates;
	s->table.only_known = s->has_events && !s->has_metrics;
}

static int begin_table(struct sonde_stat *s)
{
	if (s->opened == 0) {
		choose_rates(s);
		return stat_counts_begin(&s->table, s->counter, &s->err);
	}
	for (size_t i = 0; i < s->table.rows.n; i++)
		if (s->table.rows.at[i].event >= sonde_counter_count(s->counter))
			return err_set(&s->err, SONDE_MISSING, SONDE_NONE, "events of the first run are there no more");
	stat_counts_next_run(&s->table);
	return 0;
}

int sonde_stat_open(struct sonde_stat *s, const struct sonde_counter_opts *target)
{
	int r;

	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (s->trace || s->failed)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "these counts are of a recording, or have failed");
	r = s->opened ? choice_renew(s) : 0;
	if (r == 0 && !sonde_counter_count(s->counter) && sonde_counter_add_event(s->counter, "dummy:u") < 0)
		r = counter_failure(s);
	if (r == 0 && sonde_counter_open(s->counter, target) < 0)
		r = counter_failure(s);
	r = r < 0 ? r : begin_table(s);
	s->failed = r < 0;
	s->last_ns = 0;
	s->opened += r == 0;
	return r;
}

const char *sonde_stat_refusal(const struct sonde_stat *s, size_t event)
{
	for (size_t i = 0; i < s->table.rows.n; i++)
		if (s->table.rows.at[i].event == event && s->table.rows.at[i].refused)
			return sonde_counter_event_at(s->counter, event)->refusal;
	return NULL;
}

int sonde_stat_record(struct sonde_stat *s, const char *path, char *const *command, uint64_t interval_ms)
{
	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (!s->opened || s->writer || s->failed)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "a file of counts begins once, when they are opened");
	/* the ids of events come with their counts */
	if (sonde_counter_read(s->counter) < 0)
		return counter_failure(s);
	s->writer = stat_writer_new(path, s->counter, &s->table, interval_ms, command, &s->err);
	return s->writer ? 0 : -(int)s->err.code;
}

/* Adds what is taken to the file, which ends with the run. */
static int write_counts(struct sonde_stat *s, enum sonde_stat_share share, uint64_t elapsed)
{
	int r = 0;

	if (!s->writer)
		return 0;
	if (share != SONDE_STAT_TOTAL)
		r = stat_writer_add(s->writer, s->counter, elapsed, share == SONDE_STAT_RUN, &s->err);
	if (share == SONDE_STAT_INTERVAL)
		return r;
	r = r < 0 ? r : stat_writer_finish(s->writer, &s->err);
	stat_writer_free(s->writer);
	s->writer = NULL;
	return r;
}

static int take(struct sonde_stat *s, enum sonde_stat_share share, const struct sonde_stat_times *times)
{
	const uint64_t interval = times->elapsed > s->last_ns ? times->elapsed - s->last_ns : 0;
	int r = stat_counts_take(&s->table, s->counter, times, share, !s->opts.no_scale);

	if (r == 0 && share != SONDE_STAT_INTERVAL)
		r = stat_runs_add(&s->runs, &s->table, times);
	if (r < 0)
		return err_nomem(&s->err);
	s->table.runs = share == SONDE_STAT_INTERVAL ? 0 : s->runs.elapsed.n;
	s->table.seconds = share == SONDE_STAT_INTERVAL ? (double)interval * 1e-9 : s->runs.elapsed.mean;
	s->last_ns = times->elapsed;
	return write_counts(s, share, times->elapsed);
}

/* Those of the program, or of the command that is counted. */
static int times_of(struct sonde_stat *s, const struct sonde_stat_times *times, struct sonde_stat_times *out)
{
	const struct sonde_counter_command *command = sonde_counter_command(s->counter);

	if (times)
		return OPTS_TAKE(sonde_stat_times, out, times, &s->err);
	if (!command || !command->ended)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "no command has ended that tells the times");
	*out = (struct sonde_stat_times){ .elapsed = command->end_ns - command->start_ns, .user = command->user_ns,
					  .system = command->system_ns };
	return 0;
}

int sonde_stat_take(struct sonde_stat *s, enum sonde_stat_share share, const struct sonde_stat_times *times)
{
	struct sonde_stat_times t = { 0 };
	int r;

	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (!s->opened || s->failed)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "no counter is open");
	r = times_of(s, times, &t);
	return r < 0 ? r : take(s, share, &t);
}
