/* SPDX-License-Identifier: MIT */
#include "parquet/column_writer.h"

#include "base/put.h"
#include "base/safe_text.h"
#include "base/text.h"
#include "parquet/bits.h"
#include "parquet/delta.h"
#include "parquet/format.h"
#include "parquet/hybrid.h"
#include "parquet/thrift.h"

/* A page of fewer values is too few to tell whether a dictionary helps. */
#define DICTIONARY_TRIAL 1024

void column_writer_init(struct column_writer *c, const struct parquet_column *column, struct column_tools *tools)
{
	*c = (struct column_writer){ .column = column, .tools = tools, .dictionary.plain = BUF_MEMORY,
				     .texts = BUF_MEMORY, .pages = BUF_MEMORY };
}

static void fail_nomem(struct column_writer *c)
{
	if (!c->failed)
		c->failed = err_nomem(c->tools->err);
}

static struct buf *new_body(struct column_writer *c)
{
	c->tools->body.n = 0;
	return &c->tools->body;
}

static void put_head(struct buf *to, enum page_type type, size_t raw, size_t packed, uint64_t nr_values,
		     enum encoding encoding)
{
	struct thrift_writer t = { .to = to };

	thrift_put_i32(&t, 1, type);
	thrift_put_i32(&t, 2, (int32_t)raw);
	thrift_put_i32(&t, 3, (int32_t)packed);
	thrift_begin(&t, type == PAGE_DATA ? 5 : 7);
	thrift_put_i32(&t, 1, (int32_t)nr_values);
	thrift_put_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_put_i32(&t, 3, ENCODING_RLE);
		thrift_put_i32(&t, 4, ENCODING_RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
}

/* Packs a page and writes it with its head. */
static void put_page(struct column_writer *c, struct buf *to, const struct buf *body, enum page_type type,
		     uint64_t nr_values, enum encoding encoding)
{
	struct buf head = BUF_MEMORY;
	const uint8_t *packed;
	size_t size;

	if (body->n > INT32_MAX) {
		c->failed = err_set(c->tools->err, SONDE_UNSUPPORTED, SONDE_NONE, "a Parquet page has 2 GiB or more");
		return;
	}
	packed = body->failed ? NULL : packer_pack(&c->tools->packer, body->p, body->n, &size);
	if (packed)
		put_head(&head, type, body->n, size, nr_values, encoding);
	if (!packed || head.failed) {
		fail_nomem(c);
	} else {
		c->raw_bytes += head.n + body->n;
		buf_put(to, head.p, head.n);
		buf_put(to, packed, size);
	}
	buf_free(&head);
}

static void put_data_page(struct column_writer *c, const struct buf *body, uint64_t nr_values, enum encoding encoding)
{
	put_page(c, &c->pages, body, PAGE_DATA, nr_values, encoding);
	c->nr_values += nr_values;
	if (encoding == ENCODING_DICTIONARY)
		c->has_dictionary_pages = true;
	else
		c->has_plain_pages = true;
	if (c->pages.failed)
		fail_nomem(c);
}

static void put_numbers(struct buf *to, enum parquet_type type, const int64_t *values, size_t n)
{
	size_t size = type == PARQUET_INT32 ? 4 : 8;
	char *p = n ? buf_room(to, n * size) : NULL;

	if (!p)
		return;
	if (type == PARQUET_INT32)
		for (size_t i = 0; i < n; i++)
			store_u32(p + i * 4, (uint32_t)values[i], host_is_big_endian());
	else
		for (size_t i = 0; i < n; i++)
			store_u64(p + i * 8, (uint64_t)values[i], host_is_big_endian());
	to->n += n * size;
}

/* The numbers of entries, behind their width. */
static void put_entries(struct buf *to, const uint32_t *entries, size_t n, size_t nr_entries)
{
	unsigned width = bits_width(nr_entries ? nr_entries - 1 : 0);

	buf_char(to, (char)width);
	hybrid_encode(to, entries, n, width);
}

/* Levels of 0 and 1 behind their length. */
static void put_levels(struct buf *to, const uint32_t *levels, size_t n)
{
	size_t at = to->n;

	put_u32(to, 0, false);
	hybrid_encode(to, levels, n, 1);
	if (!to->failed)
		store_u32(to->p + at, (uint32_t)(to->n - at - 4), host_is_big_endian());
}

/* Repetition levels: 0 begins a list. Definition levels: 0 is an empty list. Returns how many there are. */
static size_t put_list_levels(struct column_writer *c, struct buf *to)
{
	uint32_t *levels;
	size_t n = 0;

	c->tools->codes.n = 0;
	if (vec_reserve(&c->tools->codes, c->numbers.n + c->lengths.n) < 0) {
		fail_nomem(c);
		return 0;
	}
	levels = c->tools->codes.at;
	for (size_t i = 0; i < c->lengths.n; i++) {
		levels[n++] = 0;
		for (size_t j = 1; j < c->lengths.at[i]; j++)
			levels[n++] = 1;
	}
	put_levels(to, levels, n);
	n = 0;
	for (size_t i = 0; i < c->lengths.n; i++) {
		levels[n++] = c->lengths.at[i] > 0;
		for (size_t j = 1; j < c->lengths.at[i]; j++)
			levels[n++] = 1;
	}
	put_levels(to, levels, n);
	return n;
}

/*
 * A dictionary of more than half as many values is larger than they are. Lists often begin or end as other lists do,
 * which the compressor finds in whole values, but not in their numbers of some bits.
 */
static bool is_worthless(const struct column_writer *c, size_t nr_values)
{
	size_t share = c->column->type == PARQUET_INT64_LIST ? 8 : 2;

	return nr_values >= DICTIONARY_TRIAL && c->dictionary.entries.n > nr_values / share;
}

/* The numbers of this page in the dictionary; false: they are to be PLAIN, from now on. */
static bool number_entries(struct column_writer *c)
{
	size_t before = c->dictionary.entries.n, n = c->numbers.n;
	uint32_t *codes, code = 0;

	c->tools->codes.n = 0;
	if (vec_reserve(&c->tools->codes, n) < 0) {
		fail_nomem(c);
		return false;
	}
	codes = c->tools->codes.at;
	for (size_t i = 0; i < n && code < DICTIONARY_NOMEM; i++)
		codes[i] = code = dictionary_number(&c->dictionary, c->numbers.at[i]);
	if (code == DICTIONARY_NOMEM)
		fail_nomem(c);
	if (code < DICTIONARY_NOMEM && !is_worthless(c, (size_t)c->nr_values + n))
		return true;
	c->dictionary.entries.n = before;
	c->is_plain = true;
	return false;
}

static void flush_numbers(struct column_writer *c)
{
	const struct parquet_column *column = c->column;
	struct buf *body = new_body(c);
	size_t n = c->numbers.n;
	enum encoding encoding = ENCODING_PLAIN;

	if (column->type == PARQUET_INT64_LIST)
		n = put_list_levels(c, body);
	statistics_add_numbers(&c->statistics, c->numbers.at, c->numbers.n);
	if (column->delta) {
		encoding = ENCODING_DELTA;
		delta_encode(body, c->numbers.at, c->numbers.n);
	} else if (c->numbers.n && !c->is_plain && number_entries(c)) {
		encoding = ENCODING_DICTIONARY;
		put_entries(body, c->tools->codes.at, c->numbers.n, c->dictionary.entries.n);
	} else {
		put_numbers(body, column->type, c->numbers.at, c->numbers.n);
	}
	put_data_page(c, body, n, encoding);
}

static void flush_entries(struct column_writer *c)
{
	struct buf *body = new_body(c);

	put_entries(body, c->entries.at, c->entries.n, c->dictionary.entries.n);
	put_data_page(c, body, c->entries.n, ENCODING_DICTIONARY);
}

static void drop_page(struct column_writer *c)
{
	c->numbers.n = c->lengths.n = c->entries.n = c->texts.n = c->nr_texts = 0;
}

/* Writes the page of the values that have been gathered. */
static void flush_page(struct column_writer *c)
{
	if (c->failed) {
		drop_page(c);
		return;
	}
	if (c->numbers.n || c->lengths.n)
		flush_numbers(c);
	if (c->entries.n)
		flush_entries(c);
	if (c->nr_texts)
		put_data_page(c, &c->texts, c->nr_texts, ENCODING_PLAIN);
	drop_page(c);
}

void column_put_int(struct column_writer *c, int64_t value)
{
	c->nr_rows++;
	if (c->column->type == PARQUET_INT32)
		value = (int32_t)value;
	if (vec_push(&c->numbers, value) < 0)
		fail_nomem(c);
	else if (c->numbers.n == c->tools->page_values)
		flush_page(c);
}

void column_put_list(struct column_writer *c, const int64_t *values, size_t n)
{
	c->nr_rows++;
	if (n > UINT32_MAX || vec_reserve(&c->numbers, n) < 0 || vec_push(&c->lengths, (uint32_t)n) < 0) {
		fail_nomem(c);
		return;
	}
	if (n)
		memcpy(c->numbers.at + c->numbers.n, values, n * sizeof(*values));
	c->numbers.n += n;
	if (c->numbers.n >= c->tools->page_values || c->lengths.n >= c->tools->page_values)
		flush_page(c);
}

static void put_plain_text(struct column_writer *c, const char *text, size_t len)
{
	if (c->nr_texts && c->texts.n + len > PAGE_BYTES_MAX)
		flush_page(c);
	if (len > INT32_MAX / 2) {
		c->failed = err_set(c->tools->err, SONDE_UNSUPPORTED, SONDE_NONE, "a text of 1 GiB or more");
		return;
	}
	statistics_add_text(&c->statistics, text, len);
	put_u32(&c->texts, (uint32_t)len, host_is_big_endian());
	buf_put(&c->texts, text, len);
	if (++c->nr_texts == c->tools->page_values)
		flush_page(c);
}

static bool is_utf8(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_length((const uint8_t *)text + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

/* The text, or one that takes its place until the next call. */
static const char *as_utf8(struct column_writer *c, const char *text, size_t *len)
{
	struct buf *b = &c->tools->text;

	if (is_utf8(text, *len))
		return text;
	b->n = 0;
	buf_utf8(b, text, *len);
	if (b->failed)
		fail_nomem(c);
	*len = b->n;
	return b->p;
}

/* The number of a text that is new to the dictionary, which has UTF-8 only. */
static uint32_t new_entry(struct column_writer *c, const char *text, size_t len)
{
	size_t before = c->dictionary.entries.n;
	uint32_t entry = dictionary_text(&c->dictionary, text, len);

	if (entry == DICTIONARY_NOMEM)
		fail_nomem(c);
	else if (c->dictionary.entries.n > before)
		statistics_add_text(&c->statistics, text, len);
	return entry;
}

void column_put_text(struct column_writer *c, const char *text, size_t len)
{
	uint32_t entry = c->is_plain ? HASH_INDEX_NONE : dictionary_find_text(&c->dictionary, text, len);

	c->nr_rows++;
	if (c->failed)
		return;
	if (entry == HASH_INDEX_NONE) {
		text = as_utf8(c, text, &len);
		entry = c->is_plain ? DICTIONARY_FULL : new_entry(c, text, len);
	}
	if (entry == DICTIONARY_FULL && !c->is_plain) {
		flush_page(c);
		c->is_plain = true;
	}
	if (c->is_plain)
		put_plain_text(c, text, len);
	else if (vec_push(&c->entries, entry) < 0)
		fail_nomem(c);
	else if (c->entries.n == c->tools->page_values)
		flush_page(c);
}

static void put_dictionary_page(struct column_writer *c, struct buf *out)
{
	struct dictionary *d = &c->dictionary;
	struct buf *body = c->column->type == PARQUET_STRING ? &d->plain : new_body(c);

	if (c->column->type != PARQUET_STRING) {
		c->numbers.n = 0;
		if (vec_reserve(&c->numbers, d->entries.n) < 0) {
			fail_nomem(c);
			return;
		}
		for (size_t i = 0; i < d->entries.n; i++)
			c->numbers.at[i] = (int64_t)d->entries.at[i];
		put_numbers(body, c->column->type, c->numbers.at, d->entries.n);
	}
	put_page(c, out, body, PAGE_DICTIONARY, d->entries.n, ENCODING_PLAIN);
}

int column_write(struct column_writer *c, struct buf *out, struct column_place *place)
{
	place->begin = out->written + out->n;
	flush_page(c);
	if (c->has_dictionary_pages && !c->failed)
		put_dictionary_page(c, out);
	place->data_page = out->written + out->n;
	if (!c->failed)
		buf_put(out, c->pages.p, c->pages.n);
	return c->failed ? c->failed : out->failed;
}

void column_clear(struct column_writer *c)
{
	dictionary_clear(&c->dictionary);
	c->is_plain = c->has_dictionary_pages = c->has_plain_pages = false;
	drop_page(c);
	c->pages.n = 0;
	c->raw_bytes = c->nr_values = c->nr_rows = 0;
	c->statistics = (struct statistics){ 0 };
}

void column_writer_free(struct column_writer *c)
{
	dictionary_free(&c->dictionary);
	vec_free(&c->numbers);
	vec_free(&c->entries);
	vec_free(&c->lengths);
	buf_free(&c->texts);
	buf_free(&c->pages);
}
