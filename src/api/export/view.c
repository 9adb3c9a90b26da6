/* SPDX-License-Identifier: MIT */
/* view.c - the data of a page that asks a server for them */
#include <sonde/view.h>

#include <stdlib.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "api/export/recorded.h"
#include "export/page/served.h"

struct sonde_view {
	struct served data;
};

static int gather(struct sonde_view *v, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		  struct sonde_error *err)
{
	struct export x = { .profile = p, .err = err };
	int r = export_take_opts(&x, opts);

	if (r < 0)
		return r;
	if (p->out_of_memory || (x.page.baseline && x.page.baseline->out_of_memory))
		return err_nomem(err);
	r = recorded_find(&x);
	if (r == 0)
		r = export_cells(&x);
	if (r == 0)
		r = served_gather(&v->data, &x);
	event_cells_free(&x.cells);
	recorded_free(&x);
	if (r == 0 && p->timed.given_up)
		export_note(&x, "the page has no time axis: there is memory for at most %zu samples", p->timed.most);
	if (r == 0 && (symbols_out_of_memory(p->symbols) ||  /* while a name was made */
		       (x.page.baseline && symbols_out_of_memory(x.page.baseline->symbols))))
		r = -SONDE_NOMEM;
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

static int make(struct sonde_view **v, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		struct sonde_error *err)
{
	int r;

	*v = calloc(1, sizeof(**v));
	if (!*v)
		return err_nomem(err);
	r = gather(*v, p, opts, err);
	if (r < 0) {
		sonde_view_free(*v);
		*v = NULL;
	}
	return r;
}

static int make_with_error(struct sonde_view **v, const struct sonde_profile *p, const struct sonde_export_opts *opts,
			   struct sonde_error *err)
{
	WITH_ERROR(err, own, make(v, p, opts, &own));
}

struct sonde_view *sonde_view_new(const struct sonde_profile *p, const struct sonde_export_opts *opts,
				  struct sonde_error *err)
{
	struct sonde_view *v = NULL;

	make_with_error(&v, p, opts, err);
	return v;
}

void sonde_view_free(struct sonde_view *v)
{
	if (v)
		served_free(&v->data);
	free(v);
}

static int write_page(const struct sonde_output *to, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	int r;

	html_write_served(&out);
	r = buf_flush(&out);
	buf_free(&out);
	return r;
}

int sonde_view_write_page(const struct sonde_output *to, struct sonde_error *err)
{
	WITH_ERROR(err, own, write_page(to, &own));
}

static int answer(struct sonde_view *v, const char *question, const struct sonde_output *to, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	int r = served_answer(&v->data, question, &out), failed;

	failed = r < 0 ? 0 : buf_flush(&out);
	buf_free(&out);
	if (r == -SONDE_USAGE)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no such question");
	return r == -SONDE_NOMEM ? err_nomem(err) : r < 0 ? r : failed;
}

int sonde_view_answer(struct sonde_view *v, const char *question, const struct sonde_output *to,
		      struct sonde_error *err)
{
	WITH_ERROR(err, own, answer(v, question, to, &own));
}
