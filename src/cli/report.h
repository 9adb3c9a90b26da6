/* SPDX-License-Identifier: MIT */
/* report.h - words on report's command line, and its page. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <sonde/export.h>

/* "graph,0.5,caller": what stands behind -g. */
struct report_graph {
	bool on;
	enum sonde_graph_style style;
	enum sonde_graph_value value;
	bool callee, order_given;    /* order_given: else it depends on --children */
	double limit;                /* percent, 0: not said, negative: none */
	bool limit_given;
	uint32_t branches;           /* at most; 0: all */
};
int report_graph_parse(struct report_graph *g, const char *words);  /* 0 or -SONDE_USAGE */

/* What a page says about the recording: machine, losses, and as its date that of the file, as `info` does. */
void report_describe(struct sonde_export_opts *opts, const struct sonde_trace *t);

/*
 * Looks up the words of --sort or --fields: @kind is what they are called. Adds what the profile has to keep for them.
 * Returns the exit status,
 * 2 after it has said which word is wrong.
 */
int report_read_columns(const char *kind, const char *list, uint32_t *by);

/* Does such a list name latency or parallelism? @list may be NULL. */
bool report_asks_latency(const char *list);

/* The character of -t; 0 if it is none, or NULL. */
char report_separator(const char *word);

/* What is asked for beside the report, or instead of it. */
struct report_besides {
	bool header, header_only, full;
	bool stats, tasks, mmaps, dump;
	bool threads;
};
bool report_is_instead(const struct report_besides *b);

/* Each returns the exit status. report_before() is all where something is shown instead of the report. */
int report_before(const struct report_besides *b, const struct sonde_query *query, const char *const *paths, size_t n);
int report_after(const struct report_besides *b, const struct sonde_query *query, const char *const *paths, size_t n);

/* Says how to get names where many are missing. */
void report_hint(struct sonde_profile *p);

/* Writes the page of --html; returns the exit status. */
int report_write_page(const struct sonde_profile *p, struct sonde_trace *const *traces, size_t nr_traces,
		      const char *path, const struct sonde_export_opts *opts);

#endif
