/* SPDX-License-Identifier: MIT */
/* words.h - the words of the command line of `sonde report` */
#ifndef CLI_REPORT_WORDS_H
#define CLI_REPORT_WORDS_H

#include <sonde/annotate.h>

#include "cli/base/lists.h"
#include "cli/base/report.h"
#include "cli/report/extras.h"

struct report_words {
	struct strings inputs;
	const char *sort, *fields, *graph, *event, *percent_limit, *percentage, *separator, *widths, *parent;
	const char *symbol_part, *ignored_callees;
	const char *html, *baseline;
	bool with_source;            /* the page has the code of hot functions */
	bool children_on, children_given, branches_on, branches_given, group_on, group_given;
	bool samples, period, modes, json, full_source_path, stdio, tui, inverted, named_only, with_parent, hierarchy;
	bool quiet, latency, mem_mode, total_cycles, raw_trace, branch_history, nanoseconds;
	uint64_t group_sort, time_step_ns;
	struct numbers parallelism, sockets;
	struct report_extras extras;
	bool on_screen;              /* in the browser; set by report_takes_screen() */
};
extern struct report_words report_words;
extern const struct option_row report_options[];

/* The options after all words have been read. */
struct report_request {
	struct report_graph graph;
	uint32_t by;                 /* values that the profile keeps for the columns */
	struct strings trace_fields; /* words of --sort and --fields that may name fields of tracepoints */
	size_t sort_fields;          /* how many of them are words of --sort */
	bool branches;               /* a sample counts for each of its branches */
	struct sonde_query query;
	double percent_limit;
	struct sonde_annotate_opts code;
};

/* Whether the browser shows what was asked for: it has rows of functions, and trees below them. */
bool report_takes_screen(void);

/* Checks and completes the words. @r: all zeros. Returns the exit status: 2 after a message. */
int report_settle(struct report_request *r);

#endif
