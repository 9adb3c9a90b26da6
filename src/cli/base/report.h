/* SPDX-License-Identifier: MIT */
/* report.h - words of report's command line, and its page */
#ifndef CLI_BASE_REPORT_H
#define CLI_BASE_REPORT_H

#include <sonde/export.h>

#include "cli/base/command.h"

/* Functions, each with one node; or one for each of its addresses or lines. */
enum graph_nodes { NODES_FUNCTIONS, NODES_ADDRESSES, NODES_LINES };

/* "graph,0.5,caller": the words after -g. */
struct report_graph {
	bool on;
	enum sonde_graph_style style;
	enum sonde_graph_value value;
	enum graph_nodes nodes;
	bool branches_too;           /* the branches of samples are a part of their stacks */
	bool callee, order_given;    /* order_given: else the order depends on --children */
	double limit;                /* percent; 0: not given, negative: no limit */
	bool limit_given;
	uint32_t branches;           /* at most; 0: all */
};
int report_graph_parse(struct report_graph *g, const char *words);  /* 0 or -SONDE_USAGE */

/* Adds what the trees need to the options of a profile. */
void report_graph_add(const struct report_graph *g, struct sonde_profile_opts *opts);

/* Completes the options of an export: machine, losses, and the date of the file, as in `info`. */
void report_describe(struct sonde_export_opts *opts, const struct sonde_trace *t);

/* The same of several recordings; there may be none. */
void report_describe_all(struct sonde_export_opts *opts, struct sonde_trace *const *traces, size_t n);

/* The same of the recording that the page compares with. */
void report_describe_baseline(struct sonde_page_opts *page, const struct sonde_trace *t);

/*
 * Looks up the words of --sort or --fields; @kind names them in messages. Adds the values that the profile keeps for
 * them. Other words go to @others, because they may name fields of tracepoints; NULL: that is no place for these.
 * Returns the exit status: 2 after a message about a wrong word.
 */
int report_read_columns(const char *kind, const char *list, uint32_t *by, struct strings *others);

/* @list with its columns spelled as ours: perf takes Overhead,DSO. Lives as long as the command; NULL for NULL. */
const char *report_spell_columns(const char *list);

/* Whether --sort or --fields, which may be NULL, asks for the list of their words. */
bool report_asks_columns(const char *sort, const char *fields);

/*
 * Prints the words of --sort and --fields, each with a sentence. @others: with those for fields of tracepoints. Returns
 * the exit status, 0.
 */
int report_list_columns(bool others);

/* Adds these words to a list. Negative after a message. */
int report_add_columns(struct strings *known);

/* Says that there is no such column. Returns the exit status, 2. */
int report_say_no_column(const char *kind, const char *word);

/* Whether such a list names latency or parallelism. @list may be NULL. */
bool report_asks_latency(const char *list);

/* The character of -t; 0 if it is not one character, or NULL. */
char report_separator(const char *word);

/* Tells how to get missing names, if many are missing. */
void report_hint(struct sonde_profile *p);

/* The same of code made at run time only. */
void report_hint_made_code(struct sonde_profile *p);

/* sonde_export_opts.noted: prints the note. */
void report_say_note(void *ctx, const char *text);

/* Writes the page of --html; returns the exit status. */
int report_write_page(const struct sonde_profile *p, struct sonde_trace *const *traces, size_t nr_traces,
		      const char *path, const struct sonde_export_opts *opts);

#endif
