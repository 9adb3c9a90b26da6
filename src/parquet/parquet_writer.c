/* SPDX-License-Identifier: MIT */
#include "parquet/parquet_writer.h"

#include <stdlib.h>

#include "parquet/column_writer.h"
#include "parquet/footer.h"
#include "parquet/format.h"

/* A row group is full with this many rows, or packed bytes: readers share the work by row groups. */
#define GROUP_ROWS_MAX (1024 * 1024)
#define GROUP_BYTES_MAX (64 * 1024 * 1024)

/* Level 6 saves a tenth of a small file, which takes milliseconds; of a large one, it would take most of the time. */
#define ZSTD_LEVEL 1
#define ZSTD_LEVEL_SMALL 6
#define SMALL_GROUP_ROWS (32 * 1024)

struct parquet_writer {
	struct buf *out;
	const struct parquet_column *descriptions;
	struct column_writer *columns;
	struct column_place *places;
	size_t nr_columns;
	struct column_tools tools;
	struct footer_order order;
	struct buf groups;           /* of the footer */
	size_t nr_groups;
	uint64_t nr_rows;            /* of the row groups that have been written */
	uint64_t group_rows;         /* of this one */
	int failed;                  /* 0 or the first failure */
};

struct parquet_writer *parquet_writer_new(struct buf *out, const struct parquet_column *columns, size_t nr_columns)
{
	struct parquet_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	*w = (struct parquet_writer){ .out = out, .descriptions = columns, .groups = BUF_MEMORY };
	w->tools = (struct column_tools){ .page_values = PAGE_VALUES_MAX, .body = BUF_MEMORY, .text = BUF_MEMORY,
					  .err = out->err };
	w->columns = calloc(nr_columns + 1, sizeof(*w->columns));
	w->places = calloc(nr_columns + 1, sizeof(*w->places));
	if (!w->columns || !w->places ||
	    packer_init(&w->tools.packer, codec_find("zstd"), ZSTD_LEVEL, NULL) < 0) {
		parquet_writer_free(w);
		return NULL;
	}
	w->nr_columns = nr_columns;
	for (size_t i = 0; i < nr_columns; i++)
		column_writer_init(&w->columns[i], &columns[i], &w->tools);
	buf_str(out, PARQUET_MAGIC);
	return w;
}

void parquet_sorted_by(struct parquet_writer *w, const size_t *columns, size_t n)
{
	w->order = (struct footer_order){ columns, n };
}

void parquet_page_values(struct parquet_writer *w, size_t n)
{
	w->tools.page_values = n;
}

void parquet_put_int(struct parquet_writer *w, size_t column, int64_t value)
{
	column_put_int(&w->columns[column], value);
}

void parquet_put_text(struct parquet_writer *w, size_t column, const char *text, size_t len)
{
	column_put_text(&w->columns[column], text, len);
}

void parquet_put_list(struct parquet_writer *w, size_t column, const int64_t *values, size_t n)
{
	column_put_list(&w->columns[column], values, n);
}

static int write_column(struct parquet_writer *w, size_t i)
{
	struct column_writer *c = &w->columns[i];

	if (c->nr_rows != w->group_rows)
		return err_set(w->tools.err, SONDE_USAGE, SONDE_NONE, "column %s has %llu values in %llu rows",
			       c->column->name, (unsigned long long)c->nr_rows, (unsigned long long)w->group_rows);
	return column_write(c, w->out, &w->places[i]);
}

static void write_group(struct parquet_writer *w)
{
	w->tools.packer.level = w->group_rows <= SMALL_GROUP_ROWS ? ZSTD_LEVEL_SMALL : ZSTD_LEVEL;
	for (size_t i = 0; i < w->nr_columns && !w->failed; i++)
		w->failed = write_column(w, i);
	if (!w->failed) {
		footer_add_group(&w->groups, w->columns, w->places, w->nr_columns, w->group_rows, &w->order);
		w->nr_groups++;
		w->nr_rows += w->group_rows;
	}
	for (size_t i = 0; i < w->nr_columns; i++)
		column_clear(&w->columns[i]);
	w->tools.packer.level = ZSTD_LEVEL;
	w->group_rows = 0;
}

static bool is_full(const struct parquet_writer *w)
{
	size_t bytes = 0;

	if (w->group_rows >= GROUP_ROWS_MAX)
		return true;
	if (w->group_rows % 1024)
		return false;
	for (size_t i = 0; i < w->nr_columns; i++)
		bytes += column_bytes(&w->columns[i]);
	return bytes >= GROUP_BYTES_MAX;
}

int parquet_end_row(struct parquet_writer *w)
{
	w->group_rows++;
	if (is_full(w))
		write_group(w);
	return w->failed;
}

int parquet_writer_end(struct parquet_writer *w)
{
	struct footer f;

	if (w->group_rows)
		write_group(w);
	if (w->failed)
		return w->failed;
	f = (struct footer){ w->descriptions, w->nr_columns, w->nr_rows, &w->groups, w->nr_groups };
	footer_put(w->out, &f);
	return w->failed = w->out->failed;
}

void parquet_writer_free(struct parquet_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr_columns; i++)
		column_writer_free(&w->columns[i]);
	packer_free(&w->tools.packer);
	buf_free(&w->tools.body);
	buf_free(&w->tools.text);
	vec_free(&w->tools.codes);
	buf_free(&w->groups);
	free(w->columns);
	free(w->places);
	free(w);
}
