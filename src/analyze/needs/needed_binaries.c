/* SPDX-License-Identifier: MIT */
#include "analyze/needs/needed_binaries.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/binary_files.h"

struct sample_counts {
	uint64_t samples, self;
	uint64_t last;               /* the cell + 1 that was counted last: a stack may have a binary many times */
};

static void count(struct sample_counts *of, const struct sonde_profile *p, uint32_t frame, size_t cell)
{
	const struct binary *b = p->frames.list.at[frame].binary;

	if (!b || of[b->index].last == cell + 1)
		return;
	of[b->index].last = cell + 1;
	of[b->index].samples += p->cells.at[cell].samples;
}

static void count_all(struct sample_counts *of, const struct sonde_profile *p)
{
	for (size_t i = 0; i < p->cells.n; i++) {
		const struct sonde_profile_cell *c = &p->cells.at[i];
		const struct binary *b = p->frames.list.at[c->frame].binary;

		count(of, p, c->frame, i);
		if (b)
			of[b->index].self += c->samples;
		for (uint32_t s = c->stack; s; s = p->stacks.list.at[s].parent)
			count(of, p, p->stacks.list.at[s].frame, i);
	}
}

static int add(struct sonde_profile *p, const struct binary *b, const struct sample_counts *of)
{
	const struct binary_files f = binary_files_find(p->symbols, b);
	const char *file = f.place != SONDE_PLACE_NOWHERE && f.file_len ?
				   arena_strndup(&p->found.binary_texts, f.file, f.file_len) : NULL;

	return vec_push(&p->found.binaries, ((struct sonde_profile_binary){
		.dso = b->name, .dso_name = p->dso_names.at[b->index], .build_id = b->build_id,
		.build_id_size = b->build_id_size, .kind = binary_public_kind(b), .samples = of->samples,
		.self = of->self, .place = f.place, .file = file, .symbols = f.symbols, .lines = f.lines,
		.unwind = f.unwind, .code = f.code, .lack = f.lack, .reason = f.reason[0] ? f.reason : NULL }));
}

static int by_samples(const void *va, const void *vb)
{
	const struct sonde_profile_binary *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return strcmp(a->dso, b->dso);
}

int profile_binaries(struct sonde_profile *p, bool all)
{
	size_t n = p->tasks->binaries.list.n;
	struct sample_counts *of;
	int r = 0;

	p->found.binaries.n = 0;
	arena_free(&p->found.binary_texts);
	if (!p->found.samples_of_binary || p->out_of_memory)  /* no trace has been added, or not all of one */
		return 0;
	of = calloc(n + 1, sizeof(*of));
	if (!of)
		return -SONDE_NOMEM;
	count_all(of, p);
	for (size_t i = 0; i < n && r == 0; i++)
		if (p->tasks->binaries.list.at[i]->kind != BINARY_OTHER && (all || of[i].samples))
			r = add(p, p->tasks->binaries.list.at[i], &of[i]);
	free(of);
	if (p->found.binaries.n)
		qsort(p->found.binaries.at, p->found.binaries.n, sizeof(p->found.binaries.at[0]), by_samples);
	return r;
}
