/* SPDX-License-Identifier: MIT */
#include "api/alignment.h"

#include "api/trace.h"
#include "base/opts.h"

/* True if the options give the i-th trace an offset. */
static bool is_given(const struct sonde_several_opts *opts, size_t i, int64_t *offset)
{
	const int64_t *offsets = OPT(opts, offsets_ns, NULL);

	*offset = 0;
	if (!offsets || i >= OPT(opts, nr_offsets, 0) || offsets[i] == SONDE_OFFSET_BY_CLOCK)
		return false;
	*offset = offsets[i];
	return true;
}

static struct sonde_alignment relate(struct sonde_trace *const *traces, size_t i,
				     const struct sonde_several_opts *opts)
{
	const struct reader *first = traces[0]->reader, *r = traces[i]->reader;
	struct sonde_alignment a = { 0 };
	int64_t of_first;

	if (!r) {
		a.fact = SONDE_ALIGNED_FIRST;  /* it has no times */
	} else if (is_given(opts, i, &a.offset_ns) || r->given_shift) {
		a.offset_ns = (int64_t)((uint64_t)a.offset_ns + (uint64_t)r->given_shift);
		a.fact = SONDE_ALIGNED_GIVEN;
	} else if (!first || i == 0) {
		a.fact = SONDE_ALIGNED_FIRST;
	} else {
		a.fact = clocks_relate(first, r, &a.offset_ns);
		if (is_given(opts, 0, &of_first))
			a.offset_ns = (int64_t)((uint64_t)a.offset_ns + (uint64_t)of_first);
	}
	a.text = clocks_fact_text(a.fact);
	return a;
}

struct sonde_alignment alignment_of(struct sonde_trace *const *traces, size_t i,
				    const struct sonde_several_opts *opts)
{
	return traces[i]->alignment.text && !OPT(opts, nr_offsets, 0) ? traces[i]->alignment : relate(traces, i, opts);
}

/* The events and the clock of a stream that became a file are in its first records. A failure comes again later. */
static void read_beginning(struct reader *r)
{
	struct sonde_error err = { 0 };

	if (r && r->ops->first_records)
		r->ops->first_records(r, &err);
}

int sonde_traces_align(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts)
{
	int r = nr ? OPTS_CHECK(sonde_several_opts, opts, &traces[0]->err) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < nr; i++) {
		traces[i]->alignment.text = NULL;
		read_beginning(traces[i]->reader);
	}
	for (size_t i = 0; i < nr; i++)
		traces[i]->alignment = relate(traces, i, opts);
	for (size_t i = 0; i < nr; i++)
		if (traces[i]->reader)
			traces[i]->reader->time_shift = traces[i]->alignment.offset_ns;
	return 0;
}

const struct sonde_alignment *sonde_trace_alignment(const struct sonde_trace *t)
{
	return t->alignment.text ? &t->alignment : NULL;
}
