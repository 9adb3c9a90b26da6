/* SPDX-License-Identifier: MIT */
/**
 * stat.h - counts of events as a table: by CPU, core or thread, of runs, intervals and recordings, with metrics
 *
 *	const char *argv[] = { "true", NULL };
 *	struct sonde_counter_opts target = { .sz = sizeof(target), .command = argv, .running = true };
 *	struct sonde_stat *s = sonde_stat_new(NULL);
 *
 *	if (sonde_stat_add(s, SONDE_STAT_EVENT, "task-clock,page-faults") == 0 && sonde_stat_open(s, &target) == 0) {
 *		struct sonde_counter *c = sonde_stat_counter(s);
 *
 *		if (sonde_counter_start(c) == 0 && sonde_counter_wait_command(c, -1) > 0 &&
 *		    sonde_counter_read(c) == 0 && sonde_stat_take(s, SONDE_STAT_RUN, NULL) == 0)
 *			printf("%.2f %s\n",
 *			       sonde_table_value_at(sonde_stat_table(s), 0, SONDE_STAT_VALUE)->real,
 *			       sonde_table_value_at(sonde_stat_table(s), 0, SONDE_STAT_UNIT)->text);
 *	}
 *	sonde_stat_free(s);
 *
 * Either the events are chosen, opened on a target, and what their counter has read is taken; or the rounds of a
 * recording of counts are taken, one after the other. What was taken last is a table in the order of `perf stat`.
 */
#ifndef SONDE_STAT_H
#define SONDE_STAT_H

#include <sonde/counter.h>
#include <sonde/table.h>
#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_stat;

/** Each CPU, core and so on has rows of its own, with the sums over the CPUs that belong to it. */
enum sonde_stat_by {
	SONDE_STAT_BY_EVENT,            /* nothing: a row for each event; of a recording: as it was recorded */
	SONDE_STAT_BY_CPU,
	SONDE_STAT_BY_THREAD,
	SONDE_STAT_BY_CORE,
	SONDE_STAT_BY_CLUSTER,
	SONDE_STAT_BY_CACHE,
	SONDE_STAT_BY_DIE,
	SONDE_STAT_BY_SOCKET,
	SONDE_STAT_BY_NODE,
};

struct sonde_stat_opts {
	size_t sz;
	enum sonde_stat_by by;
	uint64_t cache_level;           /* of SONDE_STAT_BY_CACHE; 0: the last */
	bool of_cpus;                   /* CPUs will be counted, not tasks: other default events, and #target_cpu */
	bool percore_cpus;              /* by CPU, an event of the term percore: the sum of its core for each CPU */
	bool no_scale;                  /* counts as they are, without estimates for the whole time */
	bool no_thresholds;             /* metrics are not judged by the thresholds of their file */
	bool no_rates;                  /* beside events that were added by name stand no rates and ratios */
	bool keep_runs;                 /* for sonde_stat_compare() */
	uint32_t detail;                /* default events of caches, too: 1 to 3, as often as perf stat has -d */
	const char *pmu;                /* as for sonde_counter_set_pmu() */
	const char *sysfs;              /* for the topology of the CPUs; NULL: /sys */
};

/** sonde_stat_new - no events yet; NULL only when out of memory. @opts is copied, with its texts. */
SONDE_API struct sonde_stat *sonde_stat_new(const struct sonde_stat_opts *opts);

/** sonde_stat_free - with the counter and the tables; NULL is accepted */
SONDE_API void sonde_stat_free(struct sonde_stat *s);

/** sonde_stat_error - why the last call on @s failed; never NULL, lives as long as @s */
SONDE_API const struct sonde_error *sonde_stat_error(const struct sonde_stat *s);

/** The kinds of sonde_stat_add(). */
enum sonde_stat_added {
	SONDE_STAT_EVENT,               /* events, as for sonde_counter_add_event() */
	SONDE_STAT_PFM_EVENT,           /* by the names of libpfm4 */
	SONDE_STAT_FILTER,              /* for the tracepoints of the last SONDE_STAT_EVENT */
	SONDE_STAT_EVENT_FILE,          /* a file that names events and metrics, before them */
	SONDE_STAT_METRIC,              /* a metric of the library or of a file, or a group of those of files */
	SONDE_STAT_METRIC_GROUP,        /* a group of metrics of files, beside all rates of the library */
	SONDE_STAT_DEFAULTS,            /* the events of `perf stat` without -e; the text is NULL */
};

/**
 * sonde_stat_add - more events, metrics or names, before the counter is opened
 * -SONDE_MISSING for a metric or group that there is not; -SONDE_CORRUPT for a metric whose expression cannot be read,
 * -SONDE_UNSUPPORTED for one of an event that there is not here. Of an event string that is wrong, file_offset of the
 * error is the place in @text.
 */
SONDE_API int sonde_stat_add(struct sonde_stat *s, enum sonde_stat_added what, const char *text);

/** sonde_stat_set_cgroup - count an event of the counter for a control group; an event of the library's own is not */
SONDE_API int sonde_stat_set_cgroup(struct sonde_stat *s, size_t event, const char *path);

/** A metric by which rates and ratios are told. */
struct sonde_stat_metric {
	const char *name;               /* "insn_per_cycle" */
	const char *events;             /* that it needs: "instructions,cpu-cycles"; NULL: a file has its expression */
};

/**
 * sonde_stat_metric_at - the i-th metric that can be added, NULL beyond the last; valid until the next call
 * @s: for those of its files, after those of the library; NULL: none
 */
SONDE_API const struct sonde_stat_metric *sonde_stat_metric_at(struct sonde_stat *s, size_t i);

/**
 * sonde_stat_counter - the counter with the events, to start, enable and read it
 * Lives until the next sonde_stat_open() or sonde_stat_free().
 */
SONDE_API struct sonde_counter *sonde_stat_counter(struct sonde_stat *s);

/**
 * sonde_stat_open - open the events on a target: sonde_counter_open()
 * Again for each further run, with a counter that begins at 0. Where there is no event, the time is measured alone.
 * -SONDE_UNSUPPORTED: none of the events can be counted on this machine.
 */
SONDE_API int sonde_stat_open(struct sonde_stat *s, const struct sonde_counter_opts *target);

/**
 * sonde_stat_refusal - why an event of the counter is not counted; NULL: it is, or the program itself measures it
 * After sonde_stat_open(), -SONDE_UNSUPPORTED included; lives as long as the counter.
 */
SONDE_API const char *sonde_stat_refusal(const struct sonde_stat *s, size_t event);

/**
 * sonde_stat_record - write what is taken from now on into a perf.data as well, as `perf stat record` does
 * @path: "-" is the standard output
 * @command: for the file's command line, ends with NULL; NULL: none
 * @interval_ms: of the intervals that will be taken; 0: none
 * After sonde_stat_open(). The file is whole when SONDE_STAT_RUN or SONDE_STAT_TOTAL is taken.
 */
SONDE_API int sonde_stat_record(struct sonde_stat *s, const char *path, char *const *command, uint64_t interval_ms);

enum sonde_stat_share {
	SONDE_STAT_RUN,                 /* since the counter was opened: the table has means over the runs */
	SONDE_STAT_INTERVAL,            /* since the last call */
	SONDE_STAT_TOTAL,               /* since the counter was opened, after intervals */
};

/** Times of a run so far, ns. */
struct sonde_stat_times {
	size_t sz;
	uint64_t elapsed, user, system;
};

/**
 * sonde_stat_take - the table is made of the counts that sonde_counter_read() has read last
 * @times: NULL: those of the counter's command, which has ended
 * A failure to write the file of sonde_stat_record() leaves the counts taken.
 */
SONDE_API int sonde_stat_take(struct sonde_stat *s, enum sonde_stat_share share, const struct sonde_stat_times *times);

/**
 * sonde_stat_open_trace - take rounds out of a recording of counts, instead of a counter
 * @t: is open, and lives as long as @s or its next sonde_stat_open_trace()
 * Of the options by and no_rates count. A recording has the rates of events that were chosen.
 */
SONDE_API int sonde_stat_open_trace(struct sonde_stat *s, struct sonde_trace *t);

/**
 * sonde_stat_next_round - take the next round of the recording: an interval, or the whole run
 * Returns 1, 0 after the last, -SONDE_MISSING if the trace has no counts, the failure to read on. A recording with more
 * than 65,536 counts in a round is -SONDE_UNSUPPORTED.
 */
SONDE_API int sonde_stat_next_round(struct sonde_stat *s);

/** Facts about the table. */
struct sonde_stat_info {
	enum sonde_stat_by by;
	uint32_t runs;                  /* 0: an interval */
	double seconds;                 /* from the start to the moment of the table */
	double elapsed, elapsed_error;  /* seconds of a run, mean and standard deviation of the mean */
	double user, system;            /* CPU time of the command, mean; 0 in a recording */
	uint64_t interval_ms;           /* of the intervals of a recording; 0: it has none */
	const char *note;               /* what the reader of the table must know, a sentence; NULL: nothing */
};

/** sonde_stat_info - a view that lives as long as @s, and changes when counts are taken */
SONDE_API const struct sonde_stat_info *sonde_stat_info(struct sonde_stat *s);

/**
 * The columns of sonde_stat_table() and sonde_stat_metrics(). A row is a count. Further metrics of it follow in rows of
 * their own, in which nothing is known from SONDE_STAT_STATE to SONDE_STAT_RUNNING_SHARE.
 */
enum sonde_stat_column {
	SONDE_STAT_KEY,                 /* text: "CPU0", "S0-D0-C1", "comm-123"; not known by event */
	SONDE_STAT_COUNTERS,            /* count: of CPUs or threads behind the row */
	SONDE_STAT_EVENT_NAME,          /* text */
	SONDE_STAT_STATE,               /* text: "counted", "not counted", "not supported" */
	SONDE_STAT_VALUE,               /* real: the mean over the runs, in the unit; known if it was counted */
	SONDE_STAT_UNIT,                /* text: "msec", "MiB", "" */
	SONDE_STAT_SCALE,               /* real: the value of one count in the unit, 1 without a unit */
	SONDE_STAT_CGROUP,              /* text: known if any event has one, "" for the others */
	SONDE_STAT_DEVIATION,           /* share: the standard deviation of the mean in the mean; after several runs */
	SONDE_STAT_RUNNING,             /* duration: the time in which the event was counted */
	SONDE_STAT_RUNNING_SHARE,       /* share: of this time in that in which it was to be counted */
	SONDE_STAT_METRIC_NAME,         /* text: "insn_per_cycle"; known if there is a metric */
	SONDE_STAT_METRIC_VALUE,        /* real: known if its events were counted */
	SONDE_STAT_METRIC_UNIT,         /* text: "instructions", "" */
	SONDE_STAT_THRESHOLD,           /* text: "good", "bad"; known if the file of the metric has a threshold */
};

/**
 * sonde_stat_table - the counts that were taken last, with their metrics; NULL when out of memory
 * Lives until the next call of this function, until counts are taken, or until sonde_stat_free().
 */
SONDE_API struct sonde_table *sonde_stat_table(struct sonde_stat *s);

/**
 * sonde_stat_metrics - the metrics alone, key after key; a key without metrics has a row without one
 * Its columns, and how long it lives, are those of sonde_stat_table().
 */
SONDE_API struct sonde_table *sonde_stat_metrics(struct sonde_stat *s);

/** The columns of sonde_stat_compare(). */
enum sonde_stat_compare_column {
	SONDE_STAT_MEASURE,             /* text: "elapsed time", or the name of an event */
	SONDE_STAT_MEASURE_UNIT,        /* text: "msec", "" */
	SONDE_STAT_MEASURE_SCALE,       /* real: as SONDE_STAT_SCALE */
	SONDE_STAT_FIRST,               /* real: mean over the runs, in the unit */
	SONDE_STAT_FIRST_ERROR,         /* real: standard deviation of the mean, in the unit */
	SONDE_STAT_SECOND, SONDE_STAT_SECOND_ERROR,
	SONDE_STAT_RUNS,                /* count: of the first one */
	SONDE_STAT_CHANCE,              /* real: 0 to 1, the probability that chance makes such a difference of means,
					 * by Welch's t-test */
	SONDE_STAT_CHANCE_BY_RANKS,     /* real: the same by the rank test of Mann and Whitney */
};

/**
 * sonde_stat_compare - whether two results differ by more than chance: the time of the runs, then each event
 * Both have the same events, and the options by event and keep_runs. The table belongs to @first, and lives until the
 * next call with it, or until counts are taken or sonde_stat_free(). NULL: sonde_stat_error(first) says why.
 */
SONDE_API struct sonde_table *sonde_stat_compare(struct sonde_stat *first, const struct sonde_stat *second);

#ifdef __cplusplus
}
#endif
#endif
