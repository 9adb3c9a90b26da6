/* SPDX-License-Identifier: MIT */
/* annotate.c - the instructions of a function with their samples */
#include <sonde/annotate.h>

#include <stdlib.h>

#include "analyze/annotate/annotation.h"
#include "api/base/error.h"
#include "api/base/file_output.h"
#include "api/base/text_output.h"
#include "base/opts.h"
#include "export/page/annotated.h"

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

bool sonde_annotation_row(const struct sonde_annotation *a, size_t i, struct sonde_annotation_row *row)
{
	struct sonde_annotation_row out;

	if (i >= sonde_annotation_rows(a) || row->sz < sizeof(row->sz))
		return false;
	annotation_view(a, i, &out);
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

/* The functions of a page. */
struct annotated_page {
	struct sonde_annotation *const *list;
	size_t n;
};

static int write_page(void *ctx, const struct sonde_output *to, struct sonde_error *err)
{
	const struct annotated_page *page = ctx;
	struct buf out = text_output(to, err);
	int r = annotated_write(&out, page->list, page->n);

	if (r == 0)
		r = buf_flush(&out);
	buf_free(&out);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

static int page_to(struct sonde_annotation *const *list, size_t n, const char *path, struct sonde_error *err)
{
	struct annotated_page page = { list, n };
	const struct sonde_profile *p = n ? list[0]->profile : NULL;

	return file_output_write(path, p ? p->inputs.at : NULL, p ? p->inputs.n : 0, write_page, &page, err);
}

int sonde_annotation_write_page(struct sonde_annotation *const *list, size_t n, const char *path,
				struct sonde_error *err)
{
	WITH_ERROR(err, own, page_to(list, n, path, &own));
}
