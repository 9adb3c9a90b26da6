/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/merge_input.h"

#include <stdlib.h>

#include "perfdata/format/feature.h"

uint64_t merge_time(struct merge *m, const struct merge_input *in, uint64_t time)
{
	bool cut = false;
	uint64_t moved = clocks_move(time, in->shift, &cut);

	if (cut)
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, time, -1,
			   "{time|times} before the beginning of the clock, or past its end, in %s", in->name);
	return moved;
}

static int align(struct merge *m, struct reader *const *in, const struct sonde_merge_opts *opts)
{
	struct sonde_alignment *how = calloc(m->nr_in, sizeof(*how));

	if (!how)
		return err_nomem(&m->handle->err);
	clocks_align(in, m->nr_in, opts->offsets_ns, opts->nr_offsets, how);
	for (size_t i = 0; i < m->nr_in; i++) {
		m->in[i].shift = how[i].offset_ns;
		m->in[i].aligned = clocks_known(how[i].fact);
		if (!m->in[i].aligned)
			ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
				   "input whose clock is another one; nothing says by how much they differ (--offset "
				   "does): %s", m->in[i].name);
	}
	free(how);
	return 0;
}

static int check_input(struct merge *m, const struct merge_input *in)
{
	struct sonde_error *err = &m->handle->err;

	if (in->reader->evsels.n == 0)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "%s: describes no event", in->name);
	if (feature_has(&in->reader->meta, SONDE_FEAT_STAT))
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "%s: counts of perf stat cannot be merged",
			       in->name);
	return 0;
}

/* About when the input begins: tasks that it tells of before any time belong there. A stream cannot be asked. */
static int find_start(struct merge *m, struct merge_input *in)
{
	struct record_ref ref = { .time = SONDE_NONE };
	struct walk *w;
	int r;

	if (in->file->input.stream)
		return 0;
	r = in->reader->ops->walk_new(in->reader, &w, &m->handle->err);
	if (r < 0)
		return r;
	do
		r = in->reader->ops->walk_next(w, &ref, &m->handle->err);
	while (r > 0 && (ref.time == 0 || ref.time == SONDE_NONE));
	in->reader->ops->walk_free(w);
	in->key = r > 0 ? merge_time(m, in, ref.time) : 0;
	return r < 0 ? r : 0;
}

int merge_input_advance(struct merge *m, struct merge_input *in)
{
	struct sonde_error err = { .file_offset = SONDE_NONE };
	int r = order_next(&in->order, &in->ref, &err);

	if (r < 0)
		return err_set(&m->handle->err, err.code, err.file_offset, "%s: %s", in->name, err.text);
	in->ended = r == 0;
	if (r > 0 && in->ref.time != 0 && in->ref.time != SONDE_NONE)
		in->key = merge_time(m, in, in->ref.time);
	return 0;
}

int merge_inputs_open(struct merge *m, struct reader *const *in, const struct sonde_merge_opts *opts)
{
	int r = 0;

	m->in = calloc(m->nr_in, sizeof(*m->in));
	if (!m->in)
		return err_nomem(&m->handle->err);
	for (size_t i = 0; i < m->nr_in; i++) {
		m->in[i].reader = in[i];
		m->in[i].file = perfdata_of(in[i]);
		m->in[i].name = in[i]->info.path;
	}
	m->swap = m->in[0].file->header.swap;
	for (size_t i = 0; r == 0 && i < m->nr_in; i++)
		r = check_input(m, &m->in[i]);
	if (r == 0)
		r = align(m, in, opts);
	for (size_t i = 0; r == 0 && i < m->nr_in; i++) {
		m->several_hosts |= clocks_hosts_differ(m->in[0].reader, m->in[i].reader);
		r = find_start(m, &m->in[i]);
	}
	return r;
}

struct merge_input *merge_input_next(struct merge *m, uint64_t *until)
{
	struct merge_input *best = NULL;

	*until = UINT64_MAX;
	for (size_t i = 0; i < m->nr_in; i++) {
		struct merge_input *in = &m->in[i];

		if (in->ended)
			continue;
		if (best && in->key >= best->key) {
			*until = in->key < *until ? in->key : *until;
			continue;
		}
		*until = best && best->key < *until ? best->key : *until;
		best = in;
	}
	return best;
}

void merge_input_end(struct merge_input *in)
{
	order_end(&in->order);
	free(in->events);
	free(in->attrs);
	u64map_free(&in->ids);
	vec_free(&in->new_ids);
}
