/* SPDX-License-Identifier: MIT */
/* missing_symbols.c - which binary needs its symbols most. */
#include "analyze/missing_symbols.h"

#include <string.h>

/* Code of a file that was mapped, and not of one that was made while it ran. */
static const struct binary *binary_without_name(const struct sonde_profile *p, uint32_t frame)
{
	const struct frame *f = &p->frames.list.at[frame];

	return f->binary && f->binary->kind == BINARY_FILE && !frame_symbol(f) ? f->binary : NULL;
}

bool profile_nameless(const struct sonde_profile *p, struct sonde_profile_nameless *out)
{
	size_t n = p->tasks.binaries.list.n, most = 0, found = 0;
	uint64_t *samples = p->samples_of_binary, all = 0;

	if (!samples || p->out_of_memory)  /* no trace has been added, or not all of one */
		return false;
	memset(samples, 0, (n + 1) * sizeof(*samples));
	for (size_t i = 0; i < p->cells.n; i++) {
		const struct binary *b = binary_without_name(p, p->cells.at[i].frame);

		all += p->cells.at[i].samples;
		if (!b)
			continue;
		found += samples[b->index] == 0;
		samples[b->index] += p->cells.at[i].samples;
		if (samples[b->index] > samples[most])
			most = b->index;
	}
	if (found)
		*out = (struct sonde_profile_nameless){ .dso = p->tasks.binaries.list.at[most]->name,
							.dso_name = p->dso_names.at[most],
							.samples = samples[most],
							.all_samples = all,
							.others = found - 1 };
	return found;
}
