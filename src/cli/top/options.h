/* SPDX-License-Identifier: MIT */
/* options.h - the options of `sonde top` */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include <sonde/annotate.h>

#include "cli/base/lists.h"
#include "cli/base/report.h"

struct top_words {
	bool stdio, tui;
	bool zero, hide_kernel, hide_user, children, samples, period, hierarchy;
	const char *sort, *fields, *widths, *parent, *percent_limit, *percentage, *delay, *call_graph, *cpus;
	struct numbers pids, tids;
	uint64_t entries, iterations, max_stack;
	/* of top_settle() */
	uint64_t delay_ms;
	double least_percent;
	struct report_graph graph;
	struct sonde_annotate_opts code;
	uint32_t by;                 /* values that the profile keeps for the columns */
};
extern struct top_words top_words;
extern const struct option_row top_options[];

/* Checks and completes the options; those of the recorder are in record_words. 0, or the exit status. */
int top_settle(void);

#endif
