/* SPDX-License-Identifier: MIT */
/**
 * text.h - print a trace as text: a line for each event, every record with all its fields, or a summary
 *
 *	struct sonde_script_opts opts = { .sz = sizeof(opts), .ns = true };
 *	struct sonde_trace *t = sonde_trace_new();
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_trace_open(t, "perf.data", NULL) < 0)
 *		puts(sonde_trace_error(t)->text);
 *	else if (sonde_script(t, NULL, &opts, &err) < 0)
 *		puts(err.text);
 *	sonde_trace_free(t);
 */
#ifndef SONDE_TEXT_H
#define SONDE_TEXT_H

#include <sonde/symbol.h>
#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Records besides samples that `script` prints; bits of sonde_script_opts.show */
enum sonde_script_show {
	SONDE_SHOW_TASK = 1 << 0,        /* COMM, FORK, EXIT */
	SONDE_SHOW_MMAP = 1 << 1,
	SONDE_SHOW_SWITCH = 1 << 2,
	SONDE_SHOW_NAMESPACE = 1 << 3,
	SONDE_SHOW_LOST = 1 << 4,
	SONDE_SHOW_ROUND = 1 << 5,
	SONDE_SHOW_BPF = 1 << 6,         /* KSYMBOL, BPF_EVENT */
	SONDE_SHOW_CGROUP = 1 << 7,
	SONDE_SHOW_TEXT_POKE = 1 << 8,
};

enum sonde_script_clock {
	SONDE_CLOCK_TRACE,               /* as recorded */
	SONDE_CLOCK_RELATIVE,            /* since the first sample */
	SONDE_CLOCK_DELTA,               /* since the sample before */
};

enum sonde_script_layout {
	SONDE_LAYOUT_AUTO,               /* perf's for a perf.data, or with `fields`; else trace-cmd's */
	SONDE_LAYOUT_PERF,
	SONDE_LAYOUT_TRACE_CMD,          /* of trace-cmd report 3.3 and later; for a trace.dat only */
	SONDE_LAYOUT_TRACE_CMD_3_1,      /* of older versions: without the flags of interrupts and preemption */
};

/**
 * A filter for the events of a trace.dat: "EVENT,SYSTEM/EVENT,...: EXPRESSION", as trace-cmd report -F takes it.
 * EVENT and SYSTEM are regular expressions for whole names; an expression without '/' matches either. Without
 * EXPRESSION all of these events match. An expression is made of fields, COMM, CPU, numbers, strings, == != < <= >
 * >=, ~ (a pattern as "kworker*"), =~ and !~ (a regular expression), arithmetic, which binds more strongly than
 * comparisons, && || ! and parentheses. A comparison with a field that the event does not have is false; an address
 * is equal to the name of the function that it is in.
 */
struct sonde_event_filter {
	const char *text;
	bool inverse;                       /* events that match are not printed */
};

struct sonde_script_opts {
	size_t sz;
	const struct sonde_query *query;    /* which samples; its order and samples_only are not used */
	/* Each as one -F of perf: "comm,tid,time", "+misc,-cpu", "trace:comm,trace". */
	const char *const *fields;
	size_t nr_fields;
	const char *const *comms;           /* only samples of these threads, */
	size_t nr_comms;
	const char *const *dsos;            /* in these binaries (path or last part of it), */
	size_t nr_dsos;
	const char *const *symbols;         /* in these functions */
	size_t nr_symbols;
	uint32_t show;                      /* SONDE_SHOW_* */
	enum sonde_script_clock clock;
	bool ns;                            /* times with nine digits, not six */
	bool no_callchain;                  /* only the ip of a sample, not its callchain */
	uint32_t max_stack;                 /* frames of a chain at most; 0: 127 */
	const struct sonde_symbols_opts *symbol_opts;
	enum sonde_script_layout layout;
	/* Layouts of trace-cmd only, which do not use fields, dsos, symbols, show, no_callchain and max_stack. */
	bool latency;                       /* as -l: shorter columns */
	bool raw;                           /* as -R: the fields of events as they are, not their text */
	bool ts_diff;                       /* the time since the line before too; SONDE_CLOCK_DELTA does the same */
	/* An event is printed if no inverse filter matches it, and if another one matches it or there are no others. */
	const struct sonde_event_filter *filters;
	size_t nr_filters;
	bool no_hardirq, no_softirq;        /* no events that came while an interrupt was served */
	const struct sonde_several_opts *several;  /* of sonde_script_several() */
	uint32_t threads;                   /* to make the text with; 0: one for each CPU */
	bool inlined;                       /* callchains with the functions that were inlined */
	bool full_source_path;              /* srcline: the whole path of a source file, not its last part */
	bool stitch_lbr;                    /* call stacks of branches: with older calls of the samples before */
};

/**
 * sonde_script - write the samples of @t as text, in time order
 * Layout, fields and their order are those of `perf script` or `trace-cmd report`; docs/script-differences.md and
 * docs/trace-cmd-differences.md list the differences.
 * @t: opened, and not yet iterated if it is a stream
 * @to: NULL: the standard output
 * @err: may be NULL; set when the result is negative
 * Returns 1; 0 if there was nothing to print; -SONDE_USAGE for a field that is not known or that the samples lack,
 * and for a layout of another format; or the reason why writing failed or the records could not be read to the end:
 * text that was made before has been written all the same.
 */
SONDE_API int sonde_script(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_script_opts *opts,
			   struct sonde_error *err);

/**
 * sonde_script_several - write the events of several traces in one order of time, each line with the name of its file
 * Files of trace.dat are written as `trace-cmd report -i ONE -i OTHER` does: a line of an instance has the instance's
 * name. In perf's layout, which fits all traces, each line of sonde_script() follows the name of its file, or its
 * path if files have the same name; lines of a call chain have no name. Clocks: see sonde_iter_new_several().
 * @traces: opened, @nr of them; each has its losses in its own ledger
 * Results are those of sonde_script(). A file offset in @err is in the trace that failed.
 */
SONDE_API int sonde_script_several(struct sonde_trace *const *traces, size_t nr, const struct sonde_output *to,
				   const struct sonde_script_opts *opts, struct sonde_error *err);

/** sonde_script_field - the i-th field name that `fields` may hold, NULL after the last */
SONDE_API const char *sonde_script_field(size_t i);

/** Summaries that sonde_summary() writes, as the options of perf report of the same names do. */
enum sonde_summary {
	SONDE_SUMMARY_STATS,             /* the number of records of each type, and of samples of each event */
	SONDE_SUMMARY_TASKS,             /* the tree of processes and threads */
	SONDE_SUMMARY_MMAPS,             /* the same tree, with the mappings that each has in the end */
	SONDE_SUMMARY_THREADS,           /* the counts of each thread, which a recording with --stat has */
};

/**
 * sonde_summary - write a summary of the records of @t; samples are counted but not decoded
 * @query: which records, NULL: all
 * Other arguments are those of sonde_script(). Returns 0, or the reason why writing failed or the records could not
 * be read to the end: earlier text has been written all the same.
 */
SONDE_API int sonde_summary(struct sonde_trace *t, enum sonde_summary what, const struct sonde_output *to,
			    const struct sonde_query *query, struct sonde_error *err);

enum sonde_dump_layout {
	SONDE_DUMP_FIELDS,                  /* offset, time, CPU, task, type, size, event, then its fields */
	SONDE_DUMP_PERF,                    /* of a perf.data: as perf report -D, by time and always with the bytes */
};

struct sonde_dump_opts {
	size_t sz;
	const struct sonde_query *query;    /* records that are no samples pass unless its samples_only is set */
	bool hex;                           /* add the bytes of each record */
	enum sonde_dump_layout layout;      /* a trace.dat always has SONDE_DUMP_FIELDS */
};

/**
 * sonde_dump - write every record of @t as text
 * Arguments and results are those of sonde_summary().
 */
SONDE_API int sonde_dump(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_dump_opts *opts,
			 struct sonde_error *err);

/**
 * sonde_text_clean - make text of a trace safe for a terminal, in place
 * Control bytes, DEL, bytes that are no UTF-8, C1 and bidirectional controls in UTF-8 become '.', byte by byte: the
 * length stays. Everything that the library prints is cleaned like this.
 */
SONDE_API void sonde_text_clean(char *text, size_t len);

#ifdef __cplusplus
}
#endif
#endif
