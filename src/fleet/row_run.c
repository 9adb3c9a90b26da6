/* SPDX-License-Identifier: MIT */
#include "fleet/row_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "io/image.h"
#include "parquet/parquet_reader.h"

/* Every run that is merged has a page of each column in memory. */
#define PAGE_VALUES 8192

struct row_run {
	const struct parquet_column *columns;
	size_t nr_columns;
	struct sonde_error *err;
	struct buf out;
	struct parquet_writer *writer;  /* NULL: it is read */
	struct image file;
	struct parquet_reader *reader;
	bool has_row;
};

struct row_run *row_run_new(const struct parquet_column *columns, size_t nr_columns, struct sonde_error *err)
{
	struct row_run *run = calloc(1, sizeof(*run));
	int fd;

	if (!run)
		return NULL;
	fd = image_nameless(err);
	*run = (struct row_run){ .columns = columns, .nr_columns = nr_columns, .err = err, .out = BUF_TO(fd, err) };
	run->file.fd = run->file.dir_fd = -1;
	if (fd < 0)
		run->out.failed = fd;
	run->writer = parquet_writer_new(&run->out, columns, nr_columns);
	if (!run->writer) {
		row_run_free(run);
		return NULL;
	}
	parquet_page_values(run->writer, PAGE_VALUES);
	return run;
}

struct parquet_writer *row_run_writer(struct row_run *run)
{
	return run->writer;
}

int row_run_end_row(struct row_run *run)
{
	int r = parquet_end_row(run->writer);

	return r < 0 ? r : run->out.failed;
}

int row_run_step(struct row_run *run)
{
	int r = parquet_reader_next(run->reader);

	run->has_row = r > 0;
	return r < 0 ? r : 0;
}

int row_run_rewind(struct row_run *run)
{
	int r = parquet_writer_end(run->writer);

	if (r == 0)
		r = buf_flush(&run->out);
	parquet_writer_free(run->writer);
	run->writer = NULL;
	if (r == 0)
		r = image_of_input(&run->file, &(struct input){ .fd = run->out.fd, .dir_fd = -1 }, run->err);
	run->reader = r == 0 ? parquet_reader_new(run->columns, run->nr_columns) : NULL;
	if (r == 0 && !run->reader)
		r = err_nomem(run->err);
	if (r == 0)
		r = parquet_reader_open(run->reader, &run->file, run->err);
	return r < 0 ? r : row_run_step(run);
}

bool row_run_has_row(const struct row_run *run)
{
	return run->has_row;
}

int64_t row_run_int(const struct row_run *run, size_t column)
{
	return parquet_int(run->reader, column);
}

struct sonde_str row_run_text(const struct row_run *run, size_t column)
{
	return parquet_text(run->reader, column);
}

const int64_t *row_run_list(const struct row_run *run, size_t column, size_t *n)
{
	return parquet_list(run->reader, column, n);
}

int row_run_compare(const struct row_run *a, const struct row_run *b, const struct sort_order *order)
{
	for (size_t i = 0; i < order->n; i++) {
		size_t column = order->columns[i].column;
		int r;

		if (a->columns[column].type == PARQUET_STRING) {
			r = str_compare(row_run_text(a, column), row_run_text(b, column));
		} else {
			int64_t x = row_run_int(a, column), y = row_run_int(b, column);

			r = (x > y) - (x < y);
		}
		if (r)
			return order->columns[i].descending ? -r : r;
	}
	return 0;
}

bool row_run_key_is(const struct row_run_key *key, const struct row_run *run, const struct sort_order *order)
{
	size_t at = 0;

	for (size_t i = 0; i < order->nr_unique; i++) {
		size_t column = order->columns[i].column;

		if (run->columns[column].type == PARQUET_STRING) {
			struct sonde_str text = row_run_text(run, column);

			if (key->numbers.at[i] != (int64_t)text.len ||
			    (text.len && memcmp(key->texts.at + at, text.p, text.len) != 0))
				return false;
			at += text.len;
		} else if (key->numbers.at[i] != row_run_int(run, column)) {
			return false;
		}
	}
	return true;
}

int row_run_key_set(struct row_run_key *key, const struct row_run *run, const struct sort_order *order,
		    struct sonde_error *err)
{
	key->numbers.n = key->texts.n = 0;
	if (vec_reserve(&key->numbers, order->nr_unique) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < order->nr_unique; i++) {
		size_t column = order->columns[i].column;
		struct sonde_str text;

		if (run->columns[column].type != PARQUET_STRING) {
			key->numbers.at[key->numbers.n++] = row_run_int(run, column);
			continue;
		}
		text = row_run_text(run, column);
		if (vec_reserve(&key->texts, text.len) < 0)
			return err_nomem(err);
		key->numbers.at[key->numbers.n++] = (int64_t)text.len;
		if (text.len)
			memcpy(key->texts.at + key->texts.n, text.p, text.len);
		key->texts.n += text.len;
	}
	return 0;
}

void row_run_key_free(struct row_run_key *key)
{
	vec_free(&key->numbers);
	vec_free(&key->texts);
}

void row_run_free(struct row_run *run)
{
	if (!run)
		return;
	parquet_writer_free(run->writer);
	parquet_reader_free(run->reader);
	image_close(&run->file);
	if (run->out.fd >= 0)
		close(run->out.fd);
	buf_free(&run->out);
	free(run);
}
