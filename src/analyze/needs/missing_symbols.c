/* SPDX-License-Identifier: MIT */
/* missing_symbols.c - which binaries need symbols, and why. */
#include "analyze/needs/missing_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "resolve/addr_location.h"
#include "symbol/binary_files.h"

/* Code of a file that was mapped, or of one that was made while it ran. */
static const struct binary *binary_without_name(const struct sonde_profile *p, uint32_t frame)
{
	const struct frame *f = &p->frames.list.at[frame];

	return f->binary && (f->binary->kind == BINARY_FILE || f->binary->kind == BINARY_JIT) && !frame_symbol(f) ?
		f->binary : NULL;
}

bool profile_nameless(const struct sonde_profile *p, struct sonde_profile_nameless *out)
{
	size_t n = p->tasks->binaries.list.n, most = 0, found = 0;
	uint64_t *samples = p->found.samples_of_binary, all = 0;
	const struct binary *of;

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
	if (!found)
		return false;
	of = p->tasks->binaries.list.at[most];
	*out = (struct sonde_profile_nameless){ .dso = of->name, .dso_name = p->dso_names.at[most],
						.samples = samples[most], .all_samples = all, .others = found - 1,
						.kind = binary_public_kind(of),
						.packaged = binary_is_packaged(of->name) };
	if (of->kind == BINARY_JIT)
		out->reason = symbols_table(p->symbols, of)->reason;
	return true;
}

struct dso_samples {
	uint64_t all, nameless;
};

/* In functions of each binary, by its index; the sum of all is returned. */
static uint64_t count_samples(const struct sonde_profile *p, struct dso_samples *of)
{
	uint64_t all = 0;

	for (size_t i = 0; i < p->cells.n; i++) {
		const struct frame *f = &p->frames.list.at[p->cells.at[i].frame];
		uint64_t samples = p->cells.at[i].samples;

		all += samples;
		if (f->binary)
			of[f->binary->index].all += samples;
		if (f->binary && !frame_symbol(f))
			of[f->binary->index].nameless += samples;
	}
	return all;
}

/* False where there is nothing to say. */
static bool note_of(struct sonde_profile *p, const struct binary *b, const struct dso_samples *of,
		    struct sonde_profile_dso_note *note)
{
	const struct symtab *t;

	if (!of->all || b->kind == BINARY_OTHER || b->kind == BINARY_KSYMBOL)
		return false;
	t = symbols_table(p->symbols, b);
	*note = (struct sonde_profile_dso_note){ .dso = b->name, .dso_name = p->dso_names.at[b->index],
						 .kind = binary_public_kind(b),
						 .packaged = binary_is_packaged(b->name),
						 .samples = t->doubt[0] ? of->all : of->nameless };
	note->reason = !t->n && !t->source[0] && t->reason[0] ? t->reason : NULL;
	note->doubt = t->doubt[0] ? t->doubt : NULL;
	return note->samples > 0;
}

static int by_samples(const void *va, const void *vb)
{
	const struct sonde_profile_dso_note *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->dso, b->dso);
}

int profile_dso_notes(struct sonde_profile *p)
{
	size_t n = p->tasks->binaries.list.n;
	struct dso_samples *of;
	int r = 0;
	uint64_t all;

	p->found.dso_notes.n = 0;
	if (!p->found.samples_of_binary || p->out_of_memory)  /* no trace has been added, or not all of one */
		return 0;
	of = calloc(n + 1, sizeof(*of));
	if (!of)
		return -SONDE_NOMEM;
	all = count_samples(p, of);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct sonde_profile_dso_note note;

		if (note_of(p, p->tasks->binaries.list.at[i], &of[i], &note)) {
			note.all_samples = all;
			r = vec_push(&p->found.dso_notes, note);
		}
	}
	free(of);
	if (p->found.dso_notes.n)
		qsort(p->found.dso_notes.at, p->found.dso_notes.n, sizeof(p->found.dso_notes.at[0]), by_samples);
	return r;
}
