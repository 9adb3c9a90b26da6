/* SPDX-License-Identifier: MIT */
/**
 * cut.h - cut a smaller trace out of a larger one
 *
 *	struct sonde_query query = { .sz = sizeof(query), .time_min = 1000000000, .time_max = 2000000000 };
 *	struct sonde_cut_opts opts = { .sz = sizeof(opts), .query = &query };
 *	struct sonde_rewrite *w = sonde_rewrite_new();
 *
 *	if (sonde_cut(w, "perf.data", "part.data", &opts) < 0)
 *		puts(sonde_rewrite_error(w)->text);
 *	sonde_rewrite_free(w);
 */
#ifndef SONDE_CUT_H
#define SONDE_CUT_H

#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fields that samples can do without. */
enum {
	SONDE_DROP_CALLCHAIN = 1 << 0,
	SONDE_DROP_STACK = 1 << 1,     /* copies of user stacks */
	SONDE_DROP_REGS = 1 << 2,      /* registers, of user and of interrupted code */
	SONDE_DROP_RAW = 1 << 3,       /* the fields of tracepoints */
	SONDE_DROP_BRANCH = 1 << 4,    /* branch stacks */
};

struct sonde_cut_opts {
	size_t sz;
	const struct sonde_query *query;    /* which samples; NULL: all. Its order is not used. */
	/* Only samples of threads that had one of these names at the time of the sample. */
	const char *const *comms;           size_t nr_comms;
	uint32_t drop;                      /* SONDE_DROP_* */
	/* of a trace.dat: */
	const char *const *buffers;         size_t nr_buffers;  /* only these, "" is the top one; none: all */
	uint64_t max_events;                /* only the first ones and others of the same time; 0: all */
	uint64_t max_pages;                 /* of each CPU of each buffer; 0: all */
};

/**
 * sonde_cut - write the samples of @in that @opts chooses, and the records that are needed to read them, to @out
 * Tasks, names and mappings are kept up to the end of the cut, so that a sample means the same as in the whole trace.
 * Losses, context switches and the like are kept where samples of their time, CPU and task would be. In a trace.dat the
 * events are chosen, tasks by the thread that ran, names by those that were saved last; pages of other times are not
 * read, and damage in them is not reported.
 */
SONDE_API int sonde_cut(struct sonde_rewrite *w, const char *in, const char *out, const struct sonde_cut_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
