/* SPDX-License-Identifier: MIT */
#include "export/main_binary.h"

#include <inttypes.h>
#include <string.h>

/* Samples by binary, of the functions that were interrupted. NULL when out of memory. */
static uint64_t *count_by_binary(const struct sonde_profile *p)
{
	uint64_t *samples = calloc(p->tasks->binaries.list.n + 1, sizeof(*samples));

	for (size_t i = 0; samples && i < p->cells.n; i++) {
		const struct binary *b = p->frames.list.at[p->cells.at[i].frame].binary;

		if (b && b->kind == BINARY_FILE)
			samples[b->index] += p->cells.at[i].samples;
	}
	return samples;
}

static bool is_library(const struct binary *b)
{
	return strstr(b->name, ".so") != NULL;
}

int main_binary_find(const struct sonde_profile *p, uint32_t *main)
{
	struct binary *const *list = p->tasks->binaries.list.at;
	uint64_t *samples = count_by_binary(p);

	*main = NO_BINARY;
	if (!samples)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < p->tasks->binaries.list.n; i++) {
		bool better = samples[i] && (*main == NO_BINARY || is_library(list[i]) < is_library(list[*main]) ||
					     (is_library(list[i]) == is_library(list[*main]) &&
					      samples[i] > samples[*main]));

		if (better)
			*main = i;
	}
	free(samples);
	return 0;
}

static bool is_named(const struct sonde_profile *p, const struct binary *b, const char *name)
{
	return strcmp(b->name, name) == 0 || strcmp(p->dso_names.at[b->index], name) == 0;
}

int binary_to_write(const struct export *x, uint32_t *binary)
{
	const struct sonde_profile *p = x->profile;

	if (!x->opts.nr_dsos)
		return main_binary_find(p, binary);
	*binary = NO_BINARY;
	for (uint32_t i = 0; i < p->tasks->binaries.list.n && *binary == NO_BINARY; i++)
		if (is_named(p, p->tasks->binaries.list.at[i], x->opts.dsos[0]))
			*binary = i;
	return 0;
}

void binary_note_others(const struct export *x, uint32_t binary, uint64_t others, uint64_t all, const char *what)
{
	if (binary == NO_BINARY && all)
		export_note(x, "wrote nothing: none of %" PRIu64 " %s is in such a binary", all, what);
	else if (others)
		export_note(x, "wrote %s only: %" PRIu64 " of %" PRIu64 " %s are elsewhere, or in no function",
			    x->profile->tasks->binaries.list.at[binary]->name, others, all, what);
}
