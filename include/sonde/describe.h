/* SPDX-License-Identifier: MIT */
/**
 * describe.h - what a trace is and what is in it, as text or JSON
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
	bool full;    /* text: topology, caches and memory in full, as with perf's -I, which JSON always has; of a trace.dat
		       * the events whose print format only the kernel can evaluate, and why */
	bool count;   /* read the whole trace and count records and samples */
	bool header;  /* text: only the lines of `perf report --header-only` */
};

/**
 * sonde_trace_describe - write what @t is: format, features, event sources, losses
 * @t: opened, and not yet iterated if it is a stream
 * @err: may be NULL; set when the result is negative
 *
 * The text begins as that of `perf report --header-only`. Without `count` a file's records are not touched, and a stream
 * is read up to its first sample.
 * Returns 0, or why writing failed (-SONDE_SYSTEM) or the records could not be read on: what was read until then has been
 * written all the same.
 */
SONDE_API int sonde_trace_describe(struct sonde_trace *t, const struct sonde_output *to,
				   const struct sonde_describe_opts *opts, struct sonde_error *err);

struct sonde_evlist_opts {
	size_t sz;
	bool attrs;    /* with all fields of their attrs that are not 0 */
	bool freq;     /* with frequency or period; the attr has it too */
	bool fields;   /* with the names of the fields of tracepoints */
	bool groups;   /* a line a group, and nothing else */
};

/**
 * sonde_trace_evlist - write the names of the events of @t, one a line, as `perf evlist` does
 * Arguments and results as above.
 */
SONDE_API int sonde_trace_evlist(struct sonde_trace *t, const struct sonde_output *to,
				 const struct sonde_evlist_opts *opts, struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
