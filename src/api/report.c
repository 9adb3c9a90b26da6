/* SPDX-License-Identifier: MIT */
/* report.c - the rows of a report one by one */
#include <sonde/report.h>

#include <stdlib.h>

#include "api/error.h"
#include "base/opts.h"
#include "export/report/chains.h"
#include "export/report/lines.h"

struct sonde_report {
	struct export export;
	struct table table;
	struct buf text, key;        /* that were handed out last */
	struct sonde_report_row row;
	struct sonde_profile_frame frame;
};

static int make(struct sonde_report *r, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		struct sonde_error *err)
{
	struct export *x = &r->export;
	int e = OPTS_TAKE(sonde_export_opts, &x->opts, opts, err);

	x->profile = p;
	x->err = err;
	x->out = &r->text;
	r->text = r->key = BUF_MEMORY;
	if (e == 0)
		e = event_cells_make(&x->cells, p);
	if (e == 0)
		e = export_event(x);
	if (e >= 0 && p->events.n == 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "there are no events");
	if (e >= 0)
		e = table_make(&r->table, x, (uint32_t)e);
	return e == -SONDE_NOMEM ? err_nomem(err) : e;
}

static int new_report(struct sonde_report **out, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		      struct sonde_error *err)
{
	struct sonde_report *r = calloc(1, sizeof(*r));
	int e;

	err_clear(err);
	if (!r)
		return err_nomem(err);
	e = make(r, p, opts, err);
	if (e < 0)
		sonde_report_free(r);
	else
		*out = r;
	return e;
}

static int new_report_for(struct sonde_report **out, const struct sonde_profile *p,
			  const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, new_report(out, p, opts, &own));
}

struct sonde_report *sonde_report_new(const struct sonde_profile *p, const struct sonde_export_opts *opts,
				      struct sonde_error *err)
{
	struct sonde_report *r = NULL;

	new_report_for(&r, p, opts, err);
	if (r)
		r->export.err = NULL;    /* the call's, which is gone */
	return r;
}

void sonde_report_free(struct sonde_report *r)
{
	if (!r)
		return;
	table_free(&r->table);
	event_cells_free(&r->export.cells);
	buf_free(&r->text);
	buf_free(&r->key);
	free(r);
}

size_t sonde_report_row_count(const struct sonde_report *r)
{
	return r ? r->table.hists.list.n : 0;
}

/* The text without the end of its line; NULL when out of memory. */
static const char *finish(struct buf *b)
{
	if (b->n && b->p[b->n - 1] == '\n')
		b->n--;
	buf_char(b, '\0');
	return b->failed ? NULL : b->p;
}

const struct sonde_report_row *sonde_report_row_at(struct sonde_report *r, size_t i)
{
	const struct hist_entry *h;

	if (i >= sonde_report_row_count(r))
		return NULL;
	h = &r->table.hists.list.at[i];
	r->text.n = r->key.n = 0;
	report_put_row(&r->text, &r->table, h);
	report_put_key(&r->key, &r->table, h);
	profile_frame(r->export.profile, h->frame, &r->frame);
	r->row = (struct sonde_report_row){ .text = finish(&r->text), .key = finish(&r->key),
					    .dso_name = r->frame.dso_name };
	if (r->table.hists.total)
		r->row.percent = 100.0 * (double)h->children / (double)r->table.hists.total;
	return r->row.text && r->row.key ? &r->row : NULL;
}

const char *sonde_report_tree_at(struct sonde_report *r, size_t i)
{
	if (i >= sonde_report_row_count(r))
		return NULL;
	r->text.n = 0;
	if (report_put_chains(&r->text, &r->table, &r->table.hists.list.at[i]) < 0)
		return NULL;
	return finish(&r->text);
}

const char *sonde_report_titles(struct sonde_report *r)
{
	r->text.n = 0;
	report_put_row(&r->text, &r->table, NULL);
	return finish(&r->text);
}
