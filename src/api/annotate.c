/* SPDX-License-Identifier: MIT */
/* annotate.c - the instructions of a function with their samples */
#include <sonde/annotate.h>

#include <stdlib.h>

#include "analyze/annotation.h"
#include "api/error.h"
#include "base/opts.h"

static int annotate(struct sonde_annotation **out, struct sonde_profile *p, const struct sonde_annotate_opts *opts,
		    struct sonde_error *err)
{
	struct sonde_annotate_opts o = { 0 };
	struct sonde_annotation *a;
	int r = OPTS_TAKE(sonde_annotate_opts, &o, opts, err);

	if (r < 0)
		return r;
	if (p->out_of_memory)
		return err_nomem(err);
	a = malloc(sizeof(*a));
	if (!a)
		return err_nomem(err);
	r = annotation_make(a, p, &o, err);
	if (r < 0)
		sonde_annotation_free(a);
	else
		*out = a;
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

static int annotate_with_error(struct sonde_annotation **out, struct sonde_profile *p,
			       const struct sonde_annotate_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, annotate(out, p, opts, &own));
}

struct sonde_annotation *sonde_annotate(struct sonde_profile *p, const struct sonde_annotate_opts *opts,
					struct sonde_error *err)
{
	struct sonde_annotation *a = NULL;

	annotate_with_error(&a, p, opts, err);
	return a;
}

void sonde_annotation_free(struct sonde_annotation *a)
{
	if (!a)
		return;
	annotation_free(a);
	free(a);
}

size_t sonde_annotation_rows(const struct sonde_annotation *a)
{
	return a ? a->rows.n : 0;
}

static double percent_of(const struct sonde_annotation *a, size_t event, const struct sonde_annotation_count *c)
{
	const struct sonde_profile_event *all = &a->profile->events.at[a->counts.events.at[event]];
	const struct sonde_annotation_count *own = &a->counts.totals.at[event];
	uint64_t part, whole;

	switch (a->opts.percent) {
	case SONDE_PERCENT_LOCAL_HITS:
		part = c->samples;
		whole = own->samples;
		break;
	case SONDE_PERCENT_GLOBAL_HITS:
		part = c->samples;
		whole = all->samples;
		break;
	case SONDE_PERCENT_GLOBAL_PERIOD:
		part = c->period;
		whole = all->period;
		break;
	default:
		part = c->period;
		whole = own->period;
	}
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

bool sonde_annotation_row(const struct sonde_annotation *a, size_t i, struct sonde_annotation_row *row)
{
	struct sonde_annotation_row out = { 0 };
	const struct annotation_row *from;

	if (i >= sonde_annotation_rows(a) || row->sz < sizeof(row->sz))
		return false;
	from = &a->rows.at[i];
	out.kind = from->kind;
	out.addr = from->addr;
	out.text = a->texts.p + from->text;
	out.flow = from->flow;
	out.target = from->target == NO_ANNOTATION_ROW ? SONDE_NO_ROW : from->target;
	out.is_target = from->is_target;
	out.file = from->file ? strpool_get(&a->files, from->file) : NULL;
	out.line = from->line;
	if (from->kind == SONDE_ANNOTATION_INSN) {
		out.bytes = a->code.bytes + (from->addr - a->code.addr);
		out.size = from->size;
		out.counts = from->counts ? a->row_counts.at + from->counts : a->none;
		out.samples = out.counts[0].samples;
		out.period = out.counts[0].period;
		out.percent = a->percent;
		out.nr_percent = a->counts.events.n;
		for (size_t k = 0; k < out.nr_percent; k++)
			a->percent[k] = percent_of(a, k, &out.counts[k]);
	}
	opts_give(row, &out, sizeof(out));
	return true;
}

const struct sonde_annotation_info *sonde_annotation_info(const struct sonde_annotation *a)
{
	return &a->info;
}

const char *sonde_annotation_note_at(const struct sonde_annotation *a, size_t i)
{
	return i < a->notes.list.n ? a->notes.list.at[i] : NULL;
}
