/* SPDX-License-Identifier: MIT */
#include "api/trace/alignment.h"

#include <stdlib.h>

#include "api/trace/trace.h"
#include "base/opts.h"

static int relate(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts,
		  struct sonde_alignment *out)
{
	struct reader **readers = calloc(nr ? nr : 1, sizeof(*readers));

	if (!readers)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr; i++)
		readers[i] = traces[i]->reader;
	clocks_align(readers, nr, OPT(opts, offsets_ns, NULL), OPT(opts, nr_offsets, 0), out);
	free(readers);
	return 0;
}

int alignments_of(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts,
		  struct sonde_alignment *out)
{
	int r = relate(traces, nr, opts, out);

	for (size_t i = 0; r == 0 && i < nr; i++)
		if (traces[i]->alignment.text && !OPT(opts, nr_offsets, 0))
			out[i] = traces[i]->alignment;
	return r;
}

int sonde_traces_align(struct sonde_trace *const *traces, size_t nr, const struct sonde_several_opts *opts)
{
	struct sonde_alignment *all;
	int r = nr ? OPTS_CHECK(sonde_several_opts, opts, &traces[0]->err) : 0;

	if (r < 0 || nr == 0)
		return r;
	all = calloc(nr, sizeof(*all));
	if (!all || relate(traces, nr, opts, all) < 0) {
		free(all);
		return err_nomem(&traces[0]->err);
	}
	for (size_t i = 0; i < nr; i++) {
		traces[i]->alignment = all[i];
		if (traces[i]->reader)
			traces[i]->reader->time_shift = all[i].offset_ns;
	}
	free(all);
	return 0;
}

const struct sonde_alignment *sonde_trace_alignment(const struct sonde_trace *t)
{
	return t->alignment.text ? &t->alignment : NULL;
}
