/* SPDX-License-Identifier: MIT */
#include "parquet/footer.h"

#include "base/put.h"
#include "parquet/format.h"
#include "parquet/thrift.h"

/* Readers distrust the statistics of some old writers, which they know by the words before "version". */
#define CREATED_BY "sonde version " SONDE_VERSION " (build sonde)"

static const enum physical_type physical_types[] = {
	[PARQUET_INT32] = PHYSICAL_INT32, [PARQUET_INT64] = PHYSICAL_INT64,
	[PARQUET_STRING] = PHYSICAL_BYTE_ARRAY, [PARQUET_INT64_LIST] = PHYSICAL_INT64,
};

static void put_str(struct thrift_writer *t, int id, const char *s)
{
	thrift_put_binary(t, id, s, strlen(s));
}

static void put_str_element(struct thrift_writer *t, const char *s)
{
	thrift_put_binary_element(t, s, strlen(s));
}

static void put_number(struct thrift_writer *t, int id, enum parquet_type type, int64_t v)
{
	uint8_t bytes[8];

	if (type == PARQUET_INT32)
		store_u32(bytes, (uint32_t)v, host_is_big_endian());
	else
		store_u64(bytes, (uint64_t)v, host_is_big_endian());
	thrift_put_binary(t, id, bytes, type == PARQUET_INT32 ? 4 : 8);
}

/* Not the deprecated fields 1 and 2. */
static void put_statistics(struct thrift_writer *t, const struct column_writer *c)
{
	const struct statistics *s = &c->statistics;
	enum parquet_type type = c->column->type;

	thrift_begin(t, 12);
	if (type != PARQUET_INT64_LIST)
		thrift_put_i64(t, 3, 0);
	if (s->known && !s->lost && type == PARQUET_STRING) {
		thrift_put_binary(t, 5, s->max_text.text, s->max_text.len);
		thrift_put_binary(t, 6, s->min_text.text, s->min_text.len);
	} else if (s->known && !s->lost) {
		put_number(t, 5, type, s->max);
		put_number(t, 6, type, s->min);
	}
	thrift_end(t);
}

static void put_encodings(struct thrift_writer *t, const struct column_writer *c)
{
	enum encoding encodings[3] = { ENCODING_RLE };
	size_t n = 1;

	if (c->has_plain_pages && c->column->delta)
		encodings[n++] = ENCODING_DELTA;
	else
		encodings[n++] = ENCODING_PLAIN;
	if (c->has_dictionary_pages)
		encodings[n++] = ENCODING_DICTIONARY;
	thrift_put_list(t, 2, THRIFT_I32, n);
	for (size_t i = 0; i < n; i++)
		thrift_put_i32_element(t, encodings[i]);
}

static void put_chunk(struct thrift_writer *t, const struct column_writer *c, const struct column_place *place)
{
	bool is_list = c->column->type == PARQUET_INT64_LIST;

	thrift_begin_element(t);
	thrift_put_i64(t, 2, 0);     /* file_offset: deprecated, and 0 */
	thrift_begin(t, 3);
	thrift_put_i32(t, 1, physical_types[c->column->type]);
	put_encodings(t, c);
	thrift_put_list(t, 3, THRIFT_BINARY, is_list ? 3 : 1);
	put_str_element(t, c->column->name);
	if (is_list) {
		put_str_element(t, "list");
		put_str_element(t, "element");
	}
	thrift_put_i32(t, 4, PAGE_ZSTD);
	thrift_put_i64(t, 5, (int64_t)c->nr_values);
	thrift_put_i64(t, 6, (int64_t)c->raw_bytes);
	thrift_put_i64(t, 7, (int64_t)(place->data_page - place->begin + c->pages.n));
	thrift_put_i64(t, 9, (int64_t)place->data_page);
	if (place->data_page > place->begin)
		thrift_put_i64(t, 11, (int64_t)place->begin);
	put_statistics(t, c);
	thrift_end(t);
	thrift_end(t);
}

static void put_order(struct thrift_writer *t, const struct footer_order *order)
{
	thrift_put_list(t, 4, THRIFT_STRUCT, order->n);
	for (size_t i = 0; i < order->n; i++) {
		thrift_begin_element(t);
		thrift_put_i32(t, 1, (int32_t)order->columns[i]);
		thrift_put_bool(t, 2, false);
		thrift_put_bool(t, 3, false);
		thrift_end(t);
	}
}

void footer_add_group(struct buf *groups, const struct column_writer *columns, const struct column_place *places,
		      size_t nr_columns, uint64_t nr_rows, const struct footer_order *order)
{
	struct thrift_writer t = { .to = groups };
	uint64_t raw = 0, packed = 0;

	thrift_begin_element(&t);
	thrift_put_list(&t, 1, THRIFT_STRUCT, nr_columns);
	for (size_t i = 0; i < nr_columns; i++) {
		put_chunk(&t, &columns[i], &places[i]);
		raw += columns[i].raw_bytes;
		packed += places[i].data_page - places[i].begin + columns[i].pages.n;
	}
	thrift_put_i64(&t, 2, (int64_t)raw);
	thrift_put_i64(&t, 3, (int64_t)nr_rows);
	if (order->n)
		put_order(&t, order);
	thrift_put_i64(&t, 6, (int64_t)packed);
	thrift_end(&t);
}

/* A union of which an empty struct is the member. */
static void put_empty_member(struct thrift_writer *t, int id, int member)
{
	thrift_begin(t, id);
	thrift_begin(t, member);
	thrift_end(t);
	thrift_end(t);
}

static void put_root(struct thrift_writer *t, size_t nr_columns)
{
	thrift_begin_element(t);
	put_str(t, 4, "schema");
	thrift_put_i32(t, 5, (int32_t)nr_columns);
	thrift_end(t);
}

/* The three levels that a list has: required group NAME (LIST) { repeated group list { required int64 element; } } */
static void put_list_schema(struct thrift_writer *t, const char *name)
{
	thrift_begin_element(t);
	thrift_put_i32(t, 3, REPETITION_REQUIRED);
	put_str(t, 4, name);
	thrift_put_i32(t, 5, 1);
	thrift_put_i32(t, 6, CONVERTED_LIST);
	put_empty_member(t, 10, LOGICAL_LIST);
	thrift_end(t);
	thrift_begin_element(t);
	thrift_put_i32(t, 3, REPETITION_REPEATED);
	put_str(t, 4, "list");
	thrift_put_i32(t, 5, 1);
	thrift_end(t);
}

static void put_leaf(struct thrift_writer *t, const char *name, enum parquet_type type)
{
	thrift_begin_element(t);
	thrift_put_i32(t, 1, physical_types[type]);
	thrift_put_i32(t, 3, REPETITION_REQUIRED);
	put_str(t, 4, name);
	if (type == PARQUET_STRING) {
		thrift_put_i32(t, 6, CONVERTED_UTF8);
		put_empty_member(t, 10, LOGICAL_STRING);
	}
	thrift_end(t);
}

static void put_schema(struct thrift_writer *t, const struct footer *f)
{
	size_t n = 1 + f->nr_columns;

	for (size_t i = 0; i < f->nr_columns; i++)
		n += f->columns[i].type == PARQUET_INT64_LIST ? 2 : 0;
	thrift_put_list(t, 2, THRIFT_STRUCT, n);
	put_root(t, f->nr_columns);
	for (size_t i = 0; i < f->nr_columns; i++) {
		bool is_list = f->columns[i].type == PARQUET_INT64_LIST;

		if (is_list)
			put_list_schema(t, f->columns[i].name);
		put_leaf(t, is_list ? "element" : f->columns[i].name, f->columns[i].type);
	}
}

/* Without an order of values, readers do not trust the statistics of texts. */
static void put_column_orders(struct thrift_writer *t, size_t nr_columns)
{
	thrift_put_list(t, 7, THRIFT_STRUCT, nr_columns);
	for (size_t i = 0; i < nr_columns; i++) {
		thrift_begin_element(t);
		thrift_begin(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
}

void footer_put(struct buf *out, const struct footer *f)
{
	struct buf meta = BUF_MEMORY;
	struct thrift_writer t = { .to = &meta };

	thrift_put_i32(&t, 1, 2);    /* version */
	put_schema(&t, f);
	thrift_put_i64(&t, 3, (int64_t)f->nr_rows);
	thrift_put_list(&t, 4, THRIFT_STRUCT, f->nr_groups);
	buf_put(&meta, f->groups->p, f->groups->n);
	put_str(&t, 6, CREATED_BY);
	put_column_orders(&t, f->nr_columns);
	thrift_end(&t);
	buf_take_failure(out, f->groups);
	buf_take_failure(out, &meta);
	buf_put(out, meta.p, meta.n);
	put_u32(out, (uint32_t)meta.n, host_is_big_endian());
	buf_str(out, PARQUET_MAGIC);
	buf_free(&meta);
}
