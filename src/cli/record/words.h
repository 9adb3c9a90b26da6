/* SPDX-License-Identifier: MIT */
/* words.h - functions for the words of `sonde record`'s command line: each sets one option */
#ifndef CLI_RECORD_WORDS_H
#define CLI_RECORD_WORDS_H

#include <sonde/perf_recorder.h>

#include "cli/base/command.h"

enum { RECORD_TASKS_MAX = 4096 };

/* The options as read. record_settle() completes opts. */
struct record_words {
	struct sonde_perf_recorder_opts opts;
	const char *output;          /* "-": the standard output; NULL: perf.data or trace.dat */
	const char *cpus, *max_size, *ring_size;
	struct strings event_files;
	struct strings switch_events;
	const char *freq_list;       /* "100,200"; NULL: one number or none */
	const char *cgroups;         /* of --for-each-cgroup */
	const char *ignored;         /* of options that change nothing here */
	int32_t pids[RECORD_TASKS_MAX], tids[RECORD_TASKS_MAX];
	bool quiet, verbose, dry_run, timestamp_filename, latency;
	bool list_registers;         /* "?" was given instead of registers */
	bool accepted;               /* options without effect */
	bool normal_priority;        /* -r 0 */
};
extern struct record_words record_words;

/* Functions of the option table: 0, or -SONDE_USAGE after a message. */
int record_add_event(const char *arg);
int record_add_pfm_events(const char *arg);
int record_add_filter(const char *arg);
int record_add_cgroups(const char *arg);
int record_set_freq(const char *arg);
int record_set_period(const char *arg);
int record_set_frame_pointers(const char *arg);
int record_set_callgraph(const char *arg);
int record_set_no_callgraph(const char *arg);
int record_add_pids(const char *arg);
int record_add_tids(const char *arg);
int record_set_clock(const char *arg);
int record_set_max_stack(const char *arg);
int record_set_realtime(const char *arg);
int record_set_off_cpu_threshold(const char *arg);
int record_set_user(const char *arg);
int record_set_compression(const char *arg);
int record_set_synth(const char *arg);
int record_set_affinity(const char *arg);
int record_set_threads(const char *arg);
int record_set_aux_sample(const char *arg);
int record_set_branch_any(const char *arg);
int record_set_branch_filter(const char *arg);
int record_set_user_regs(const char *arg);
int record_set_intr_regs(const char *arg);

/* Whether a word is a compression level. */
bool record_is_level(const char *word);

/* "128", "0x80", "64K", "1M", "2G", "512B"; *suffixed: the word has a letter. */
bool record_parse_size(const char *text, uint64_t *out, bool *suffixed);

#endif
