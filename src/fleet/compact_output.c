/* SPDX-License-Identifier: MIT */
#include "fleet/compact_output.h"

#include "base/path.h"
#include "base/str.h"
#include "fleet/partition.h"
#include "io/output.h"

/* A file of more bytes is followed by another one. */
#define PART_BYTES ((uint64_t)192 * 1024 * 1024)

struct writing {
	const char *dir;
	const struct compact_table *table;
	struct row_sorter *rows;
	struct compact_file kept;    /* the columns of the files */
	size_t order[COMPACT_COLUMNS_MAX];  /* columns of the files by which rows are sorted */
	size_t nr_order;
	struct buf service;          /* the service of the row before */
	struct buf folder;           /* "service=NAME" of the file that is open, or empty */
	struct buf name;             /* the same of the row */
	size_t part;                 /* the number of the next file of this directory */
	struct output out;
	struct parquet_writer *writer;  /* NULL: no file is open */
	struct compact_written *written;
	struct sonde_error *err;
};

/* Rows of one service are sorted by the other columns of the order, as far as they ascend. */
static void choose_order(struct writing *w)
{
	const struct compact_table *t = w->table;

	for (size_t i = 0; i < t->order.n && !t->order.columns[i].descending; i++)
		for (size_t j = 0; j < w->kept.nr_columns; j++)
			if (w->kept.numbers[j] == t->order.columns[i].column)
				w->order[w->nr_order++] = j;
}

static int end_file(struct writing *w)
{
	int r = w->writer ? parquet_writer_end(w->writer) : 0;

	if (w->writer && r == 0)
		r = output_finish(&w->out, w->err);
	if (w->writer)
		output_close(&w->out);
	parquet_writer_free(w->writer);
	w->writer = NULL;
	return r;
}

static int begin_file(struct writing *w)
{
	char path[PATH_MAX], dir[PATH_MAX];
	int r;

	if (!path_print(dir, "%s/%.*s", w->dir, (int)w->folder.n, w->folder.p ? w->folder.p : "") ||
	    !path_print(path, "%s/part-%zu.parquet", dir, w->part))
		return err_set(w->err, SONDE_USAGE, SONDE_NONE, "a path in %s is too long", w->dir);
	r = path_make_directory(dir, w->err);
	if (r < 0)
		return r;
	r = output_open_shared(&w->out, path, NULL, 0, w->err);
	if (r < 0)
		return r;
	w->writer = parquet_writer_new(&w->out.buf, w->kept.columns, w->kept.nr_columns);
	if (!w->writer) {
		output_close(&w->out);
		return err_nomem(w->err);
	}
	parquet_sorted_by(w->writer, w->order, w->nr_order);
	w->part++;
	w->written->files++;
	return 0;
}

static bool is_text(const struct buf *b, struct sonde_str text)
{
	return str_equal((struct sonde_str){ b->p, b->n }, text);
}

/* Whether the row belongs to the directory of the open file; if not, the next file is in its directory. */
static bool is_same_folder(struct writing *w)
{
	struct sonde_str service;

	if (w->table->service == COMPACT_NONE)
		return true;
	service = row_sorter_text(w->rows, w->table->service);
	if (w->writer && is_text(&w->service, service))
		return true;
	w->service.n = w->name.n = 0;
	buf_put(&w->service, service.p, service.len);
	buf_str(&w->name, "service=");
	partition_encode(&w->name, service);
	if (is_text(&w->folder, (struct sonde_str){ w->name.p, w->name.n }))
		return true;
	w->folder.n = 0;
	buf_put(&w->folder, w->name.p, w->name.n);
	w->part = 0;
	return false;
}

/* A file for the row. */
static int choose_file(struct writing *w)
{
	bool same = is_same_folder(w);
	int r;

	if (w->writer && same && output_at(&w->out) < PART_BYTES)
		return 0;
	r = end_file(w);
	if (r == 0 && (w->service.failed || w->folder.failed || w->name.failed))
		r = err_nomem(w->err);
	return r < 0 ? r : begin_file(w);
}

static int write_row(struct writing *w)
{
	for (size_t i = 0; i < w->kept.nr_columns; i++)
		row_sorter_write(w->rows, w->kept.numbers[i], w->writer, i);
	w->written->rows++;
	return parquet_end_row(w->writer);
}

int compact_output_write(const char *dir, const struct compact_table *t, struct row_sorter *rows,
			 struct compact_written *written, struct sonde_error *err)
{
	struct writing w = { .dir = dir, .table = t, .rows = rows, .kept = compact_file_of(t, t->service),
			     .service = BUF_MEMORY, .folder = BUF_MEMORY, .name = BUF_MEMORY, .written = written,
			     .err = err };
	int r, ended;

	choose_order(&w);
	while ((r = row_sorter_next(rows)) > 0) {
		r = choose_file(&w);
		if (r == 0)
			r = write_row(&w);
		if (r < 0)
			break;
	}
	if (r < 0 && w.writer) {
		output_close(&w.out);
		parquet_writer_free(w.writer);
		w.writer = NULL;
	}
	ended = end_file(&w);
	buf_free(&w.service);
	buf_free(&w.folder);
	buf_free(&w.name);
	return r < 0 ? r : ended;
}
