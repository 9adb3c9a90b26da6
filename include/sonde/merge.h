/* SPDX-License-Identifier: MIT */
/**
 * merge.h - one trace out of several
 *
 *	const char *const in[] = { "a.data", "b.data" };
 *	struct sonde_rewrite *w = sonde_rewrite_new();
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
	/* Added to the times of each input, in its order; inputs without one here are aligned by what they say of their clocks. */
	const int64_t *offsets_ns;  size_t nr_offsets;
	uint64_t max_memory;   /* of all inputs together, see struct sonde_open_opts */
};

/**
 * sonde_merge - the records of all inputs by time, events that are the same made one
 * The clock, and what can be said only once (host, command line, topology), are those of the first input; what the others say differently
 * is in the ledger, as is what of their counts only some have: a perf.data has one read_format. All inputs are of one format; perf.data in
 * any mode, "-" can be one of them. The byte order is the first one's. -SONDE_UNSUPPORTED for counts of perf stat, for those of groups without
 * ids beside others, and where events cannot be told apart in one file. Buffers of several trace.dat of one session (the same trace id)
 * that have one name become one, those of others get the name of their file.
 */
SONDE_API int sonde_merge(struct sonde_rewrite *w, const char *const *in, size_t nr, const char *out, const struct sonde_merge_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
