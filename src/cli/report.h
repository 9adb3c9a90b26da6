/* SPDX-License-Identifier: MIT */
/* report.h - words on report's command line, and its page. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <sonde/export.h>

/* "graph,0.5,caller": what stands behind -g. */
struct report_graph {
	bool on, relative;
	bool callee, order_given;    /* order_given: else it depends on --children */
	double limit;                /* percent, 0: not said, negative: none */
};
int report_graph_parse(struct report_graph *g, const char *words);  /* 0 or -SONDE_USAGE */

/* What a page says about the recording: machine, losses, and as its date that of the file, as `info` does. */
void report_describe(struct sonde_export_opts *opts, const struct sonde_trace *t);

/* Says how to get names where many are missing. */
void report_hint(const struct sonde_profile *p);

/* Writes the page of --html; returns the exit status. */
int report_write_page(const struct sonde_profile *p, struct sonde_trace *const *traces, size_t nr_traces, const char *path,
		      const struct sonde_export_opts *opts);

#endif
