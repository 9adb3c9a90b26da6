/* SPDX-License-Identifier: MIT */
/**
 * export.h - write a profile or the events of a trace in the formats of other tools, or as a report
 */
#ifndef SONDE_EXPORT_H
#define SONDE_EXPORT_H

#include <sonde/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_annotation;
struct sonde_export_known;

/** Ways to show the stacks of a row. */
enum sonde_graph_style {
	SONDE_GRAPH_TREE,                   /* a tree, shares of all samples */
	SONDE_GRAPH_FRACTAL,                /* a tree, shares of the branch above; at the root, of the row */
	SONDE_GRAPH_FLAT,                   /* each stack by itself, one line for each function */
	SONDE_GRAPH_FOLDED,                 /* each stack on one line */
};

/** Ways to show the weight of a branch or stack. */
enum sonde_graph_value { SONDE_GRAPH_PERCENT, SONDE_GRAPH_PERIOD, SONDE_GRAPH_COUNT };

/*
 * Options are a struct for all formats of profiles, one for each family of them, and one for exports of events. A
 * family's struct is NULL, or has its size in its `sz`; formats of other families do not read it. Fields left 0 mean
 * the format's own choice. Pointers need to live as long as the call, or the handle that it makes.
 */

/** "report", "json", and sonde_report_new(): rows, columns, call trees. */
struct sonde_report_opts {
	size_t sz;
	/* rows and columns */
	const char *sort;                   /* columns that make a row; default "comm,dso,sym", "+cpu" adds to it */
	/* Columns to show, in this order; default: percentages, then `sort`; "+period" adds to it. */
	const char *fields;
	bool children;                      /* count a function also while it waits for functions that it calls */
	bool hierarchy;                     /* one line for each value of the first key, below it those of the second */
	bool latency;                       /* shares of latency first; else after the others, if threads ran at once */
	bool show_samples;                  /* a column with the number of samples */
	bool show_period;                   /* a column with the sum of periods */
	bool show_modes;                    /* columns with the shares of kernel and user */
	bool of_shown;                      /* percentages of the samples that pass the filters, not of all samples */
	const char *parent;                 /* a column with the caller whose name matches this regular expression */
	bool blocks;                        /* "json": the blocks of sonde_profile_find_blocks(), and no rows */
	/* the rows to show, besides sonde_export_opts.dsos */
	const char *const *symbols;         size_t nr_symbols;
	const char *symbol_part;            /* rows of functions with this in their names */
	bool with_parent;                   /* rows of samples that have a caller as `parent` says */
	double percent_limit;               /* hide rows below */
	uint32_t max_rows;                  /* the first rows only; 0: all */
	/* call trees */
	bool graph;                         /* show call trees below the rows */
	bool graph_later;                   /* of sonde_report_new(): make the tree of a row when it is asked for */
	bool graph_lines;                   /* tell the lines of a function apart; needs SONDE_BY_SRCLINE */
	bool callee;                        /* from the function to its callers, not the other way */
	enum sonde_graph_style graph_style;
	enum sonde_graph_value graph_value;
	uint32_t graph_branches;            /* most branches of a branch, or stacks of a row; 0: all */
	double graph_limit;                 /* hide branches below; 0 means 0.5, negative: show all */
	/* groups of events */
	bool group;                         /* events of one group side by side in one table; not with hierarchy */
	bool group_all;                     /* the same with all events */
	uint32_t group_sort;                /* order by this event of a group; 0: the first */
	/* the text */
	bool no_header;                     /* only rows */
	char separator;                     /* between columns, which are then not padded; 0: blanks */
	const char *widths;                 /* of columns, "10,0,40"; 0: as wide as needed */
	bool colour;                        /* percentages: red from 5 on, green from 0.5 on, for a terminal */
	bool nanoseconds;                   /* column `time`: nine decimals, not six */
	/*
	 * Also in the calls that make trees later: called now and then while rows are made, on the thread of the call.
	 * Not 0: the call ends with -SONDE_STOPPED, or without the tree.
	 */
	int (*progress)(void *ctx, double share);
	void *progress_ctx;
};

/** "html", and sonde_view_new(). */
struct sonde_page_opts {
	size_t sz;
	struct sonde_annotation *const *code;   size_t nr_code;     /* the functions whose code is shown */
	/* an older profile to compare with, its trace, and recorded_s of that; NULL: none */
	const struct sonde_profile *baseline;
	const struct sonde_trace *baseline_trace;
	int64_t baseline_recorded_s;
};

/** "parquet" and "clickhouse", tables of fleets: docs/fleet.md */
struct sonde_fleet_opts {
	size_t sz;
	const char *host;                   /* NULL: as recorded */
	const char *service;                /* of all samples; NULL: by control group, or else by command */
	const char *table;                  /* "clickhouse": write this one; NULL: all, as files of a new directory */
	struct sonde_export_known *known;   /* "parquet": leave out what it has, and add what is written; or NULL */
};

/** The weight of a sample, where a format has one weight only. */
enum sonde_export_weight {
	SONDE_WEIGHT_OF_FORMAT,             /* as the format has it by itself */
	SONDE_WEIGHT_SAMPLES,               /* each counts 1 */
	SONDE_WEIGHT_PERIOD,
};

/** Which samples of a profile are written, and how. */
struct sonde_export_opts {
	size_t sz;
	const char *event;                  /* only this one, by name; default of formats with one event: the first */
	/* instead of `event`: 1 for the profile's first event, ...; 0: by name. With group, a leader stands for all. */
	uint32_t event_number;
	/* samples of these threads and commands only; none: all */
	const int32_t *tids;                size_t nr_tids;
	const char *const *comms;           size_t nr_comms;
	/* reports: rows to show; formats of one binary: that one, by default the program with most samples */
	const char *const *dsos;            size_t nr_dsos;
	enum sonde_export_weight weight;
	/* the traces of the profile: their machine, command line, clocks and losses are shown where there is room */
	const struct sonde_trace *trace;    /* the first; NULL: not known */
	struct sonde_trace *const *others;  size_t nr_others;
	int64_t recorded_s;                 /* seconds since 1970, if the trace does not say; 0: not known */
	/* Called with what the format could not carry, in one sentence; may be NULL. */
	void (*noted)(void *ctx, const char *text);
	void *noted_ctx;
	const struct sonde_report_opts *report;
	const struct sonde_page_opts *page;
	const struct sonde_fleet_opts *fleet;
};

/** Which events of a trace are exported, and how. */
struct sonde_events_opts {
	size_t sz;
	const struct sonde_query *query;    /* NULL: all samples; its order is always SONDE_ORDER_TIME */
	const char *event;                  /* samples of this one only, by name */
	/* samples of these threads and commands only; none: all */
	const int32_t *tids;                size_t nr_tids;
	const char *const *comms;           size_t nr_comms;
	const struct sonde_symbols_opts *symbols;
	uint32_t max_stack;                 /* frames of a stack, from the innermost; 0: 127 */
	bool inlined;                       /* with inlined functions and source lines, where DWARF has them */
	bool stitch_lbr;                    /* as in sonde_profile_opts */
	/* Further traces, whose events come with those of the first in one order of time. See sonde_traces_align(). */
	struct sonde_trace *const *others;  size_t nr_others;
};

/** sonde_export_known_new - stacks, frames and modules that were written: none; NULL when out of memory */
SONDE_API struct sonde_export_known *sonde_export_known_new(void);

/** sonde_export_known_free - NULL is accepted */
SONDE_API void sonde_export_known_free(struct sonde_export_known *known);

/** A column of a report: a word of `sort` and `fields`. */
struct sonde_report_column {
	const char *name, *other_name;      /* other_name may be NULL */
	uint32_t by;                        /* what sonde_profile_opts.by needs for it: SONDE_BY_* */
	const char *missing;                /* a library that this build lacks for it; NULL: none */
	const char *help;                   /* its values, in a few words */
};
/** sonde_report_column_at - the i-th column, NULL after the last; lives for ever */
SONDE_API const struct sonde_report_column *sonde_report_column_at(size_t i);

struct sonde_export_format {
	const char *name;
	const char *help;                   /* one line */
	bool of_events;                     /* for sonde_export_events(), not for sonde_export() */
	bool binary;                        /* it is no text */
	bool one_event;                     /* it has one event: opts.event, or else the first with samples */
	/* members of sonde_profile_opts that the profile needs for it */
	bool timed;
	uint32_t by;                        /* SONDE_BY_*: all of these */
	bool branches;                      /* branches_if_any and basic_blocks */
	bool takes_timed;                   /* it shows more if the profile is timed and has tracks */
	bool windows;                       /* dated_steps, with time_step_ns of whole seconds */
	bool directory;                     /* it is a directory, unless opts.fleet->table names one of its tables */
};
/** sonde_export_format_at - the i-th format, NULL beyond the last; a view that lives for ever */
SONDE_API const struct sonde_export_format *sonde_export_format_at(size_t i);

/**
 * sonde_export - write @p as text in @format
 * @to: NULL: the standard output
 * @opts, @err: may be NULL
 * Returns 1; 0 if no sample was left to write (the frame of the format is written all the same); -SONDE_USAGE for an
 * unknown format, event or column; -SONDE_SYSTEM if writing failed; -SONDE_NOMEM also if memory was too short to
 * gather all samples of @p.
 */
SONDE_API int sonde_export(const struct sonde_profile *p, const char *format, const struct sonde_output *to,
			   const struct sonde_export_opts *opts, struct sonde_error *err);

/**
 * sonde_export_file - write @p to a new file at @path
 * The file gets its name when it is whole; a file that was there before stays until then. It never replaces a trace
 * that was added to @p or to opts.page->baseline, under whatever name, nor is it written through a symbolic link.
 * FIFOs and devices are written as they are; "-" and /dev/stdout are the standard output.
 * Results are those of sonde_export().
 */
SONDE_API int sonde_export_file(const struct sonde_profile *p, const char *format, const char *path,
				const struct sonde_export_opts *opts, struct sonde_error *err);

/**
 * sonde_export_events - write the events of @t in @format
 *
 *	const struct sonde_events_opts opts = { .sz = sizeof(opts), .event = "cycles" };
 *
 *	if (sonde_export_events(t, "json-lines", NULL, &opts, NULL) < 0)
 *		puts("the events could not be written");
 *
 * Events are written as they are read: memory does not grow with their number, except for a format that is a database.
 * @t: opened, and not yet iterated if it is a stream
 * @to: NULL: the standard output
 * @opts, @err: may be NULL
 * Returns 1; 0 if no sample was wanted (the frame of the format and other records are written all the same);
 * -SONDE_USAGE for an unknown format; the failure of reading or writing; -SONDE_NOMEM.
 */
SONDE_API int sonde_export_events(struct sonde_trace *t, const char *format, const struct sonde_output *to,
				  const struct sonde_events_opts *opts, struct sonde_error *err);

/**
 * sonde_export_events_file - the same to a new file at @path, as by sonde_export_file()
 * A format that is a directory ("ctf") goes to a new directory; there is nothing at @path, or an empty directory.
 */
SONDE_API int sonde_export_events_file(struct sonde_trace *t, const char *format, const char *path,
				       const struct sonde_events_opts *opts, struct sonde_error *err);

struct sonde_binaries_opts {
	size_t sz;
	bool all;                           /* also binaries without samples */
	bool missing;                       /* only those whose symbols are missing or uncertain */
	bool json;                          /* one object on one line, not text */
	const char *separator;              /* values between these characters, without padding; NULL: columns */
};

/**
 * sonde_profile_print_binaries - write which binaries a profile needs, where they were found, why not, and what gets
 * them
 * @to: NULL: the standard output
 * @err: may be NULL; set when the result is negative
 * Returns the number of binaries whose symbols are missing or uncertain, or the failure.
 */
SONDE_API int sonde_profile_print_binaries(struct sonde_profile *p, const struct sonde_output *to,
					   const struct sonde_binaries_opts *opts, struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
