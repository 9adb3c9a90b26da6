/* SPDX-License-Identifier: MIT */
#include "fleet/compact_input.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/plain_file.h"
#include "parquet/parquet_reader.h"

struct adding {
	struct row_sorter *sorter;
	const struct compact_input *in;
	struct compact_file kept;    /* the columns of the file */
	struct image file;
	struct parquet_reader *reader;
	struct sonde_error *err;
};

static int open_file(struct adding *a)
{
	struct input in = INPUT_NONE;
	int r;

	in.fd = plain_file_open_below(a->in->v1, a->in->path, NULL, a->err);
	if (in.fd < 0)
		return in.fd;
	r = image_of_input(&a->file, &in, a->err);
	close(in.fd);
	return r;
}

/* The first row again. */
static int rewind_file(struct adding *a)
{
	return parquet_reader_open(a->reader, &a->file, a->err);
}

static void put_value(struct adding *a, size_t i)
{
	size_t to = a->kept.numbers[i], n;
	const int64_t *list;

	switch (a->kept.columns[i].type) {
	case PARQUET_STRING:
		row_sorter_put_text(a->sorter, to, parquet_text(a->reader, i));
		break;
	case PARQUET_INT64_LIST:
		list = parquet_list(a->reader, i, &n);
		row_sorter_put_list(a->sorter, to, list, n);
		break;
	default:
		row_sorter_put_int(a->sorter, to, parquet_int(a->reader, i));
	}
}

static int put_row(struct adding *a)
{
	for (size_t i = 0; i < a->kept.nr_columns; i++)
		put_value(a, i);
	if (a->in->column != COMPACT_NONE)
		row_sorter_put_text(a->sorter, a->in->column, a->in->value);
	return row_sorter_end_row(a->sorter);
}

/* Rows that fit into the memory of the sorter. 1: they do not, because of their texts; none of them is kept. */
static int add_at_once(struct adding *a)
{
	size_t before = row_sorter_rows(a->sorter);
	bool has_room = true;
	int r;

	while ((r = parquet_reader_next(a->reader)) > 0) {
		r = put_row(a);
		if (r < 0)
			return r;
		has_room = row_sorter_has_room(a->sorter, 1);
		if (!has_room)
			break;
	}
	if (r < 0 || !has_room)
		row_sorter_truncate(a->sorter, before);
	return r < 0 ? r : !has_room;
}

/* Rows that need several runs: the file is read once to see that it is whole. */
static int add_in_runs(struct adding *a, bool *spoiled)
{
	int r;

	while ((r = parquet_reader_next(a->reader)) > 0)
		;
	if (r == 0)
		r = rewind_file(a);
	if (r == 0)
		r = row_sorter_spill(a->sorter);
	while (r == 0 && (r = parquet_reader_next(a->reader)) > 0) {
		r = put_row(a);
		*spoiled = true;
		if (r == 0 && !row_sorter_has_room(a->sorter, 1))
			r = row_sorter_spill(a->sorter);
	}
	*spoiled = r < 0 && *spoiled;
	return r;
}

static int add_rows(struct adding *a, bool *spoiled)
{
	uint64_t nr_rows = parquet_reader_rows(a->reader);
	int r = row_sorter_has_room(a->sorter, nr_rows + 1) ? 0 : row_sorter_spill(a->sorter);

	if (r < 0) {
		*spoiled = true;
		return r;
	}
	if (row_sorter_has_room(a->sorter, nr_rows + 1)) {
		r = add_at_once(a);
		if (r <= 0)
			return r;
	}
	r = rewind_file(a);
	return r < 0 ? r : add_in_runs(a, spoiled);
}

int compact_input_add(struct row_sorter *s, const struct compact_table *t, const struct compact_input *in,
		      bool *spoiled, struct sonde_error *err)
{
	struct adding a = { .sorter = s, .in = in, .kept = compact_file_of(t, in->column), .err = err };
	int r;

	*spoiled = false;
	r = open_file(&a);
	if (r < 0)
		return r;
	a.reader = parquet_reader_new(a.kept.columns, a.kept.nr_columns);
	r = a.reader ? rewind_file(&a) : err_nomem(err);
	if (r == 0)
		r = add_rows(&a, spoiled);
	parquet_reader_free(a.reader);
	image_close(&a.file);
	return r;
}
