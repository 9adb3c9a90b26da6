/* SPDX-License-Identifier: MIT */
#include "parquet/column_reader.h"

#include "parquet/bits.h"
#include "parquet/delta.h"
#include "parquet/hybrid.h"
#include "parquet/thrift.h"

/* The longest head of a page: statistics of foreign writers stand in it. */
#define HEAD_MAX (16 * 1024)

/* A page of more values would take more memory than one of any writer. */
#define PAGE_VALUES_READ_MAX (4 * 1024 * 1024)

/* The most bytes of an unpacked page; a larger page may have so many for each packed one. */
#define UNPACKED_MAX (16 * 1024 * 1024)
#define UNPACKED_RATIO_MAX 1024

struct page_head {
	int64_t type, raw_size, packed_size, nr_values, encoding;
	int64_t definition_encoding, repetition_encoding;
	uint64_t at;                 /* where the page begins */
};

void column_reader_begin(struct column_reader *c, const struct metadata_chunk *chunk)
{
	c->chunk = *chunk;
	c->nr_rows = c->row = 0;
	c->dictionary.numbers.n = c->dictionary.texts.n = 0;
}

static int corrupt(const struct column_reader *c, uint64_t at, const char *text)
{
	return err_set(c->err, SONDE_CORRUPT, at, "column %s: %s", c->column->name, text);
}

/* DataPageHeader and DictionaryPageHeader begin alike. */
static void take_kind_head(struct cursor *from, struct page_head *h)
{
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		switch (f.id) {
		case 1: h->nr_values = thrift_int(from, &f); break;
		case 2: h->encoding = thrift_int(from, &f); break;
		case 3:
			if (h->type == PAGE_DATA)
				h->definition_encoding = thrift_int(from, &f);
			else
				thrift_skip(from, &f);
			break;
		case 4: h->repetition_encoding = thrift_int(from, &f); break;
		default: thrift_skip(from, &f);
		}
}

static void take_head(struct cursor *from, struct page_head *h)
{
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		switch (f.id) {
		case 1: h->type = thrift_int(from, &f); break;
		case 2: h->raw_size = thrift_int(from, &f); break;
		case 3: h->packed_size = thrift_int(from, &f); break;
		case 5:
		case 7:
			if (thrift_struct(from, &f))
				take_kind_head(from, h);
			break;
		default: thrift_skip(from, &f);
		}
}

static int check_head(const struct column_reader *c, const struct page_head *h)
{
	uint64_t left = c->chunk.end - c->chunk.begin;

	if (h->type != PAGE_DATA && h->type != PAGE_DICTIONARY)
		return err_set(c->err, SONDE_UNSUPPORTED, h->at, "column %s: a page has type %" PRId64
			       "; 0 (data) and 2 (dictionary) can be read", c->column->name, h->type);
	if (h->packed_size < 0 || (uint64_t)h->packed_size > left)
		return err_set(c->err, SONDE_CORRUPT, h->at, "column %s: a page has %" PRId64 " bytes, %" PRIu64
			       " are left", c->column->name, h->packed_size, left);
	if (h->raw_size < 0 || (h->raw_size > UNPACKED_MAX && h->raw_size / UNPACKED_RATIO_MAX > h->packed_size) ||
	    (c->chunk.codec == PAGE_UNCOMPRESSED && h->raw_size != h->packed_size))
		return err_set(c->err, SONDE_CORRUPT, h->at, "column %s: a page of %" PRId64
			       " bytes unpacks to %" PRId64, c->column->name, h->packed_size, h->raw_size);
	if (h->nr_values < 0 || h->nr_values > PAGE_VALUES_READ_MAX ||
	    (h->type == PAGE_DATA && (uint64_t)h->nr_values > c->chunk.nr_values))
		return err_set(c->err, SONDE_CORRUPT, h->at, "column %s: a page has %" PRId64 " values, %" PRIu64
			       " are left", c->column->name, h->nr_values, c->chunk.nr_values);
	return 0;
}

static int read_failed(const struct column_reader *c, uint64_t at)
{
	int r = image_failed(c->file, c->err);

	return r < 0 ? r : err_set(c->err, SONDE_TRUNCATED, at, "column %s: the file ends within a page",
				   c->column->name);
}

/* Reads the head of the page that comes next, and moves behind it. */
static int next_head(struct column_reader *c, struct page_head *h)
{
	uint8_t room[HEAD_MAX];
	uint64_t at = c->chunk.begin, left = c->chunk.end - at;
	size_t n = left < HEAD_MAX ? (size_t)left : HEAD_MAX;
	const uint8_t *p = image_peek(c->file, at, n, room);
	struct cursor from;

	if (!p)
		return read_failed(c, at);
	*h = (struct page_head){ .type = -1, .at = at, .definition_encoding = ENCODING_RLE,
				 .repetition_encoding = ENCODING_RLE };
	from = cur_new(p, n, at, host_is_big_endian(), c->err);
	take_head(&from, h);
	if (from.failed)
		return thrift_failure(&from);
	c->chunk.begin = from.at;
	return check_head(c, h);
}

static int reserve_raw(struct column_reader *c, struct column_values *v, size_t n)
{
	uint8_t *raw;

	if (n <= v->raw_cap)
		return 0;
	raw = realloc(v->raw, n);
	if (!raw)
		return err_nomem(c->err);
	v->raw = raw;
	v->raw_cap = n;
	return 0;
}

static int unpack(struct column_reader *c, const struct page_head *h, const uint8_t *packed, uint8_t *raw)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int r = decoder_unpack(c->unpack, packed, (size_t)h->packed_size, raw, (size_t)h->raw_size, &err);

	return r == 0 ? 0 : err_set(c->err, err.code, h->at, "column %s: %s", c->column->name, err.text);
}

/* The bytes of a page, unpacked. */
static int read_body(struct column_reader *c, const struct page_head *h, struct column_values *v, struct cursor *body)
{
	size_t packed = (size_t)h->packed_size, raw = (size_t)h->raw_size;
	uint8_t *room = malloc(packed + 1);
	const uint8_t *p = room ? image_peek(c->file, c->chunk.begin, packed, room) : NULL;
	int r = room ? reserve_raw(c, v, raw + 1) : err_nomem(c->err);

	if (r == 0 && !p)
		r = read_failed(c, c->chunk.begin);
	if (r == 0 && c->chunk.codec == PAGE_ZSTD)
		r = unpack(c, h, p, v->raw);
	else if (r == 0)
		memcpy(v->raw, p, raw);
	free(room);
	c->chunk.begin += packed;
	*body = cur_new(v->raw, raw, h->at, host_is_big_endian(), c->err);
	return r;
}

static int plain_numbers(struct column_reader *c, struct cursor *body, struct column_values *v, size_t n)
{
	size_t size = c->place.physical == PHYSICAL_INT32 ? 4 : 8;
	const uint8_t *p = cur_array(body, n, size);
	bool swap = host_is_big_endian();

	if (!p)
		return -SONDE_TRUNCATED;
	if (vec_reserve(&v->numbers, n) < 0)
		return err_nomem(c->err);
	if (size == 4)
		for (size_t i = 0; i < n; i++)
			v->numbers.at[v->numbers.n++] = (int32_t)load_u32(p + i * 4, swap);
	else
		for (size_t i = 0; i < n; i++)
			v->numbers.at[v->numbers.n++] = (int64_t)load_u64(p + i * 8, swap);
	return 0;
}

static int plain_texts(struct column_reader *c, struct cursor *body, struct column_values *v, size_t n)
{
	if (n > cur_left(body) / sizeof(uint32_t))
		return cur_short(body, n * sizeof(uint32_t));
	if (vec_reserve(&v->texts, n) < 0)
		return err_nomem(c->err);
	for (size_t i = 0; i < n; i++) {
		uint32_t len = cur_u32(body);
		const uint8_t *p = cur_take(body, len);

		if (!p)
			return -SONDE_TRUNCATED;
		v->texts.at[v->texts.n++] = (struct sonde_str){ (const char *)p, len };
	}
	return 0;
}

static int plain_values(struct column_reader *c, struct cursor *body, struct column_values *v, size_t n)
{
	return c->column->type == PARQUET_STRING ? plain_texts(c, body, v, n) : plain_numbers(c, body, v, n);
}

static int delta_numbers(struct column_reader *c, struct cursor *body, struct column_values *v, size_t n)
{
	int r;

	if (vec_reserve(&v->numbers, n) < 0)
		return err_nomem(c->err);
	r = delta_decode(body, v->numbers.at, n);
	v->numbers.n = n;
	if (c->place.physical == PHYSICAL_INT32)  /* their differences wrap at 32 bits */
		for (size_t i = 0; i < n && r == 0; i++)
			v->numbers.at[i] = (int32_t)v->numbers.at[i];
	return r;
}

/* The values behind the numbers of entries. */
static int look_up(struct column_reader *c, const uint32_t *codes, size_t n, uint64_t at)
{
	bool is_text = c->column->type == PARQUET_STRING;
	size_t nr_entries = is_text ? c->dictionary.texts.n : c->dictionary.numbers.n;
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = codes[i] > most ? codes[i] : most;
	if (n && most >= nr_entries)
		return err_set(c->err, SONDE_CORRUPT, at, "column %s: entry %u is beyond a dictionary of %zu",
			       c->column->name, most, nr_entries);
	if (is_text ? vec_reserve(&c->page.texts, n) < 0 : vec_reserve(&c->page.numbers, n) < 0)
		return err_nomem(c->err);
	if (is_text)
		for (size_t i = 0; i < n; i++)
			c->page.texts.at[c->page.texts.n++] = c->dictionary.texts.at[codes[i]];
	else
		for (size_t i = 0; i < n; i++)
			c->page.numbers.at[c->page.numbers.n++] = c->dictionary.numbers.at[codes[i]];
	return 0;
}

static int dictionary_values(struct column_reader *c, struct cursor *body, size_t n)
{
	uint64_t at = body->at;
	unsigned width = n ? cur_u8(body) : 0;
	int r;

	if (width > 32)
		return corrupt(c, at, "numbers of entries have more than 32 bits");
	c->codes.n = 0;
	if (vec_reserve(&c->codes, n) < 0)
		return err_nomem(c->err);
	r = hybrid_decode(body, width, c->codes.at, n);
	return r < 0 ? r : look_up(c, c->codes.at, n, at);
}

static int take_values(struct column_reader *c, const struct page_head *h, struct cursor *body, size_t n)
{
	switch (h->encoding) {
	case ENCODING_PLAIN:
		return plain_values(c, body, &c->page, n);
	case ENCODING_PLAIN_DICTIONARY:
	case ENCODING_DICTIONARY:
		return dictionary_values(c, body, n);
	case ENCODING_DELTA:
		if (c->column->type != PARQUET_STRING)
			return delta_numbers(c, body, &c->page, n);
	}
	return err_set(c->err, SONDE_UNSUPPORTED, h->at, "column %s: values have encoding %" PRId64
		       "; 0 (PLAIN), 5 (DELTA_BINARY_PACKED) and 8 (RLE_DICTIONARY) can be read", c->column->name,
		       h->encoding);
}

/* Levels of all values of a page, none above @most: a view until the next call. */
static int take_levels(struct column_reader *c, struct cursor *body, unsigned most, size_t n, const uint32_t **levels)
{
	struct cursor part;
	int r;

	c->levels.n = 0;
	if (vec_reserve(&c->levels, n + 1) < 0)
		return err_nomem(c->err);
	part = cur_sub(body, cur_u32(body));
	r = hybrid_decode(&part, bits_width(most), c->levels.at, n);
	for (size_t i = 0; i < n && r == 0; i++)
		if (c->levels.at[i] > most)
			r = corrupt(c, part.at, "a level is above that of a value");
	*levels = c->levels.at;
	return r;
}

/* Moves the values to their rows, from the last one on: a row without a value gets 0 or "". */
static int spread_values(struct column_reader *c, const uint32_t *levels, size_t n)
{
	bool is_text = c->column->type == PARQUET_STRING;
	size_t from = is_text ? c->page.texts.n : c->page.numbers.n;

	if (is_text ? vec_reserve(&c->page.texts, n - from) < 0 : vec_reserve(&c->page.numbers, n - from) < 0)
		return err_nomem(c->err);
	for (size_t i = n; i-- > 0;) {
		bool there = levels[i] == c->place.most_defined;

		from -= there;
		if (is_text)
			c->page.texts.at[i] = there ? c->page.texts.at[from] : (struct sonde_str){ "", 0 };
		else
			c->page.numbers.at[i] = there ? c->page.numbers.at[from] : 0;
	}
	c->page.texts.n = is_text ? n : 0;
	c->page.numbers.n = is_text ? 0 : n;
	return 0;
}

static size_t count_values(const struct column_reader *c, const uint32_t *levels, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += levels[i] == c->place.most_defined;
	return count;
}

static int take_flat(struct column_reader *c, const struct page_head *h, struct cursor *body)
{
	size_t n = (size_t)h->nr_values;
	const uint32_t *levels;
	int r;

	c->nr_rows = n;
	if (!c->place.most_defined)
		return take_values(c, h, body, n);
	r = take_levels(c, body, c->place.most_defined, n, &levels);
	if (r == 0)
		r = take_values(c, h, body, count_values(c, levels, n));
	return r < 0 ? r : spread_values(c, levels, n);
}

/* Where lists begin, until the definition levels are known. */
static int take_starts(struct column_reader *c, const uint32_t *repetition, size_t n, uint64_t at)
{
	if (n && repetition[0])
		return err_set(c->err, SONDE_UNSUPPORTED, at, "column %s: a list goes on in the next page",
			       c->column->name);
	c->page.ends.n = 0;
	for (size_t i = 0; i < n; i++)
		if (!repetition[i] && vec_push(&c->page.ends, (uint32_t)i) < 0)
			return err_nomem(c->err);
	return 0;
}

/* An element without a value is 0. Turns the starts of lists to their ends. */
static int place_elements(struct column_reader *c, const uint32_t *levels, size_t n)
{
	size_t nr_elements = 0, from = c->page.numbers.n, list = 0;
	struct column_values *v = &c->page;

	for (size_t i = 0; i < n; i++) {
		if (list < v->ends.n && v->ends.at[list] == i) {
			if (list)
				v->ends.at[list - 1] = (uint32_t)nr_elements;
			list++;
		}
		nr_elements += levels[i] >= c->place.element_defined;
	}
	if (list)
		v->ends.at[list - 1] = (uint32_t)nr_elements;
	if (vec_reserve(&v->numbers, nr_elements - from) < 0)
		return err_nomem(c->err);
	v->numbers.n = nr_elements;
	for (size_t i = n, to = nr_elements; i-- > 0;)
		if (levels[i] >= c->place.element_defined)
			v->numbers.at[--to] = levels[i] == c->place.most_defined ? v->numbers.at[--from] : 0;
	return 0;
}

static int take_lists(struct column_reader *c, const struct page_head *h, struct cursor *body)
{
	size_t n = (size_t)h->nr_values;
	const uint32_t *levels;
	int r = take_levels(c, body, 1, n, &levels);

	if (r == 0)
		r = take_starts(c, levels, n, h->at);
	if (r == 0)
		r = take_levels(c, body, c->place.most_defined, n, &levels);
	if (r == 0)
		r = take_values(c, h, body, count_values(c, levels, n));
	c->nr_rows = c->page.ends.n;
	return r < 0 ? r : place_elements(c, levels, n);
}

static int take_data(struct column_reader *c, const struct page_head *h)
{
	struct cursor body;
	int r = read_body(c, h, &c->page, &body);

	if (r < 0)
		return r;
	if (h->definition_encoding != ENCODING_RLE || h->repetition_encoding != ENCODING_RLE)
		return err_set(c->err, SONDE_UNSUPPORTED, h->at, "column %s: levels have another encoding than RLE",
			       c->column->name);
	c->chunk.nr_values -= (uint64_t)h->nr_values;
	c->page.numbers.n = c->page.texts.n = 0;
	return c->column->type == PARQUET_INT64_LIST ? take_lists(c, h, &body) : take_flat(c, h, &body);
}

static int take_dictionary(struct column_reader *c, const struct page_head *h)
{
	struct cursor body;
	int r;

	if (c->dictionary.numbers.n || c->dictionary.texts.n)
		return corrupt(c, h->at, "there is a second dictionary");
	if (h->encoding != ENCODING_PLAIN && h->encoding != ENCODING_PLAIN_DICTIONARY)
		return corrupt(c, h->at, "the dictionary is not PLAIN");
	r = read_body(c, h, &c->dictionary, &body);
	return r < 0 ? r : plain_values(c, &body, &c->dictionary, (size_t)h->nr_values);
}

int column_reader_page(struct column_reader *c)
{
	struct page_head h;
	int r = 0;

	c->nr_rows = c->row = 0;
	while (r == 0 && c->nr_rows == 0) {
		if (c->chunk.begin >= c->chunk.end)
			return corrupt(c, c->chunk.end, "there are fewer values than rows");
		r = next_head(c, &h);
		if (r == 0)
			r = h.type == PAGE_DICTIONARY ? take_dictionary(c, &h) : take_data(c, &h);
	}
	return r;
}

static void free_values(struct column_values *v)
{
	free(v->raw);
	vec_free(&v->numbers);
	vec_free(&v->texts);
	vec_free(&v->ends);
}

void column_reader_free(struct column_reader *c)
{
	free_values(&c->page);
	free_values(&c->dictionary);
	vec_free(&c->levels);
	vec_free(&c->codes);
}
