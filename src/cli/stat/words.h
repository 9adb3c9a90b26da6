/* SPDX-License-Identifier: MIT */
/* words.h - the words of the command line of `sonde stat`. */
#ifndef CLI_STAT_WORDS_H
#define CLI_STAT_WORDS_H

#include <sonde/stat.h>

#include "cli/base/lists.h"

/* An event list of -e or of --pfm-events, or a filter for the tracepoints before it. */
enum stat_request_kind { STAT_REQUEST_EVENT, STAT_REQUEST_PFM, STAT_REQUEST_FILTER };
struct stat_request {
	const char *text;
	enum stat_request_kind kind;
};

struct stat_words {
	struct stat_request *requests;
	size_t nr_requests;
	struct strings cgroups;      /* of -G; "" for an empty place */
	struct strings each_cgroup;
	struct strings metrics;      /* of -M */
	struct strings event_files;
	struct numbers pids, tids;
	bool all_cpus, no_inherit, user_only, kernel_only;
	const char *cpus;
	const char *pmu;             /* of --cputype or --pmu-filter; NULL: each that has an event */
	enum sonde_stat_by by;
	uint64_t cache_level;        /* of SONDE_STAT_BY_CACHE; 0: the last one */
	uint32_t detail;             /* how often -d was given */
	bool null_run;
	uint64_t interval_ms, interval_count, timeout_ms;
	int64_t delay_ms;            /* < 0: wait for the control file */
	uint64_t runs;               /* 0: until a signal */
	const char *control, *pre, *post;
	bool sync, interval_clear, summary, no_csv_summary;
	const char *separator, *output;
	const char *record;          /* a perf.data for the counts; NULL: none */
	bool compare, json, append, no_big_num, metric_only, table, no_scale, quiet;
	bool percore_cpus;           /* --percore-show-thread */
	bool no_threshold, transaction, topdown;
	uint64_t topdown_level;      /* 0: not given */
	uint32_t verbose;
	uint64_t log_fd;             /* 0: not given */
	bool accepted;               /* options without effect */
};
extern struct stat_words stat_words;

/* Functions of the option table: 0, or -SONDE_USAGE after a message. */
int stat_add_event(const char *arg);
int stat_add_filter(const char *arg);
int stat_add_pfm_events(const char *arg);
int stat_add_cgroups(const char *arg);
int stat_add_each_cgroup(const char *arg);
int stat_add_metrics(const char *arg);
int stat_add_pids(const char *arg);
int stat_add_tids(const char *arg);
int stat_set_delay(const char *arg);
int stat_set_interval(const char *arg);
int stat_set_runs(const char *arg);
int stat_set_timeout(const char *arg);
int stat_set_separator(const char *arg);
int stat_add_detail(const char *arg);
int stat_add_verbose(const char *arg);
int stat_by_cpu(const char *arg);
int stat_by_core(const char *arg);
int stat_by_cluster(const char *arg);
int stat_by_cache(const char *arg);
int stat_by_die(const char *arg);
int stat_by_socket(const char *arg);
int stat_by_node(const char *arg);
int stat_by_thread(const char *arg);
int stat_refuse_iostat(const char *arg);
int stat_refuse_smi_cost(const char *arg);
int stat_refuse_tpebs(const char *arg);

/* Refuses options that contradict each other: exit status 2 after a message, or 0. */
int stat_settle(bool command);

#endif
