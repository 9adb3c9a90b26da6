/* SPDX-License-Identifier: MIT */
/**
 * describe.h - describe a trace and its events, as text or JSON
 *
 *	struct sonde_describe_opts opts = { .sz = sizeof(opts), .json = true };
 *	struct sonde_trace *t = sonde_trace_new();
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_trace_open(t, "perf.data", NULL) < 0)
 *		puts(sonde_trace_error(t)->text);
 *	else if (sonde_trace_describe(t, NULL, &opts, &err) < 0)
 *		puts(err.text);
 *	sonde_trace_free(t);
 */
#ifndef SONDE_DESCRIBE_H
#define SONDE_DESCRIBE_H

#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_describe_opts {
	size_t sz;
	bool json;    /* one JSON object on one line (docs/info-json.md); else lines that begin with "# " */
	/* Text: topology, caches and memory in full, as with perf's -I; JSON always has them. For a trace.dat: the
	 * events whose print format only the kernel can evaluate, and why. */
	bool full;
	bool count;   /* read the whole trace, and count records and samples */
	bool header;  /* text: only the lines of `perf report --header-only` */
};

/**
 * sonde_trace_describe - write the format, features, events and losses of a trace
 * @t: opened, and not yet iterated if it is a stream
 * @to: NULL: the standard output
 * @err: may be NULL; set when the result is negative
 *
 * The text begins like that of `perf report --header-only`. Without `count` the records of a file are not read, and a
 * stream is read up to its first sample.
 * Returns 0, or the reason why writing failed or the records could not be read to the end: text that was made before
 * has been written all the same.
 */
SONDE_API int sonde_trace_describe(struct sonde_trace *t, const struct sonde_output *to,
				   const struct sonde_describe_opts *opts, struct sonde_error *err);

struct sonde_evlist_opts {
	size_t sz;
	bool attrs;    /* with all fields of their attrs that are not 0 */
	bool freq;     /* with the frequency or period; the attr has it too */
	bool fields;   /* with the names of the fields of tracepoints */
	bool groups;   /* one line for each group, nothing else */
};

/**
 * sonde_trace_evlist - write the names of the events of @t, one per line, as `perf evlist` does
 * Arguments and results are those of sonde_trace_describe().
 */
SONDE_API int sonde_trace_evlist(struct sonde_trace *t, const struct sonde_output *to,
				 const struct sonde_evlist_opts *opts, struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
