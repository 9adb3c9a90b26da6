/* SPDX-License-Identifier: MIT */
/**
 * merge.h - make one trace of several
 *
 *	const char *const in[] = { "a.data", "b.data" };
 *	struct sonde_rewrite *w = sonde_rewrite_new();
 *
 *	if (sonde_merge(w, in, 2, "both.data", NULL) < 0)
 *		puts(sonde_rewrite_error(w)->text);
 *	sonde_rewrite_free(w);
 */
#ifndef SONDE_MERGE_H
#define SONDE_MERGE_H

#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_merge_opts {
	size_t sz;
	/* Added to the times of each input, in the order of the inputs. Inputs beyond nr_offsets are aligned by the
	 * clock data that they carry. */
	const int64_t *offsets_ns;  size_t nr_offsets;
	uint64_t max_memory;   /* of all inputs together, see struct sonde_open_opts */
};

/**
 * sonde_merge - write the records of all inputs by time; equal events become one
 * A trace has one clock, byte order, host, command line and topology: the output has those of the first input. The
 * ledger says where other inputs differ, and which counts only some of them have: a perf.data has one read_format. All
 * inputs have the same format; perf.data can be in any mode, and one of them can be "-".
 * Buffers of several trace.dat of one session (the same trace id) that have the same name become one; other buffers get
 * the name of their file.
 * Returns 0; -SONDE_UNSUPPORTED for counts of perf stat, for counts of groups without ids beside other events, and
 * where events could not be told apart in one file.
 */
SONDE_API int sonde_merge(struct sonde_rewrite *w, const char *const *in, size_t nr, const char *out,
			  const struct sonde_merge_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
