/* SPDX-License-Identifier: MIT */
#include "parquet/parquet_reader.h"

struct parquet_reader *parquet_reader_new(const struct parquet_column *columns, size_t nr_columns)
{
	struct parquet_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->columns = calloc(nr_columns + 1, sizeof(*r->columns));
	if (!r->columns || decoder_init(&r->unpack, codec_find("zstd"), NULL) < 0) {
		parquet_reader_free(r);
		return NULL;
	}
	r->wanted = columns;
	r->nr_columns = nr_columns;
	for (size_t i = 0; i < nr_columns; i++) {
		r->columns[i].column = &columns[i];
		r->columns[i].unpack = &r->unpack;
	}
	return r;
}

int parquet_reader_open(struct parquet_reader *r, struct image *file, struct sonde_error *err)
{
	int failed;

	arena_free(&r->arena);
	r->metadata = (struct metadata){ 0 };
	failed = metadata_read(&r->metadata, file, r->wanted, r->nr_columns, &r->arena, err);
	r->group = r->row = r->batch = 0;
	r->group_left = 0;
	if (failed < 0)
		return failed;
	for (size_t i = 0; i < r->nr_columns; i++) {
		r->columns[i].place = r->metadata.columns[i];
		r->columns[i].file = file;
		r->columns[i].err = err;
		column_reader_begin(&r->columns[i], &(struct metadata_chunk){ 0 });
	}
	return 0;
}

static int begin_group(struct parquet_reader *r)
{
	const struct metadata *m = &r->metadata;

	for (size_t i = 0; i < r->nr_columns; i++) {
		struct column_reader *c = &r->columns[i];

		if (c->row < c->nr_rows || c->chunk.nr_values)
			return err_set(c->err, SONDE_CORRUPT, c->chunk.begin,
				       "column %s: there are more values than rows", c->column->name);
		column_reader_begin(c, &m->chunks[r->group * m->nr_columns + i]);
	}
	r->group_left = m->group_rows[r->group++];
	return 0;
}

/* The rows of the last batch have been read: the next rows that the pages of all columns have. */
int parquet_reader_batch(struct parquet_reader *r)
{
	uint64_t batch;
	int failed = 0;

	for (size_t i = 0; i < r->nr_columns; i++)
		r->columns[i].row += r->batch;
	r->row = r->batch = 0;
	while (r->group_left == 0) {
		if (r->group == r->metadata.nr_groups)
			return 0;
		failed = begin_group(r);
		if (failed < 0)
			return failed;
	}
	batch = r->group_left;
	for (size_t i = 0; i < r->nr_columns && failed == 0; i++) {
		struct column_reader *c = &r->columns[i];

		if (c->row == c->nr_rows)
			failed = column_reader_page(c);
		if (c->nr_rows - c->row < batch)
			batch = c->nr_rows - c->row;
	}
	if (failed < 0)
		return failed;
	r->batch = (size_t)batch;
	r->group_left -= batch;
	return 1;
}

void parquet_reader_free(struct parquet_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_columns; i++)
		column_reader_free(&r->columns[i]);
	decoder_free(&r->unpack);
	arena_free(&r->arena);
	free(r->columns);
	free(r);
}
