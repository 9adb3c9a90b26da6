/* SPDX-License-Identifier: MIT */
#include "api/export/recorded.h"

#include <stdlib.h>

#include "api/trace/trace.h"

static struct recorded recording_of(const struct sonde_trace *t, int64_t at_s)
{
	struct recorded recorded = { .at_s = at_s };

	if (t && t->reader) {
		recorded.path = t->path;
		recorded.meta = &t->reader->meta;
		recorded.losses = &t->reader->ledger;
	}
	return recorded;
}

int recorded_find(struct export *x)
{
	size_t n = x->opts.trace ? x->opts.nr_others : 0;
	struct recorded_input *inputs = n ? calloc(n + 1, sizeof(*inputs)) : NULL;

	x->recorded = recording_of(x->opts.trace, x->opts.recorded_s);
	x->baseline_recorded = recording_of(x->page.baseline_trace, x->page.baseline_recorded_s);
	if (n && !inputs)
		return -SONDE_NOMEM;
	for (size_t i = 0; n && i <= n; i++) {
		const struct sonde_trace *t = i ? x->opts.others[i - 1] : x->opts.trace;

		if (t->reader)
			inputs[x->recorded.nr_inputs++] = (struct recorded_input){
				t->reader->info.path, &t->reader->ledger, sonde_trace_alignment(t) };
	}
	x->recorded.inputs = inputs;
	return 0;
}

void recorded_free(struct export *x)
{
	free((void *)x->recorded.inputs);
	x->recorded.inputs = NULL;
}
