/* SPDX-License-Identifier: MIT */
#include "export/arrow/column.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/safe_text.h"

enum { MOST_BUFFERS = 3 };

/* The differences between the kinds. */
static const struct column_layout {
	const char *format;
	uint8_t size;                /* bytes of a value; 0: there are no values of one size */
	bool has_ends;
} kinds[] = {
	[ARROW_I32] = { "i", 4, false },  [ARROW_U32] = { "I", 4, false },   [ARROW_I64] = { "l", 8, false },
	[ARROW_U64] = { "L", 8, false },  [ARROW_BOOL] = { "b", 0, false },  [ARROW_TEXT] = { "u", 0, true },
	[ARROW_BYTES] = { "z", 0, true }, [ARROW_WORD] = { "i", 4, false },  [ARROW_LIST] = { "+l", 0, true },
	[ARROW_STRUCT] = { "+s", 0, false }, [ARROW_F64] = { "g", 8, false },
};

static void free_words(struct arrow_words *w)
{
	buf_free(&w->text);
	buf_free(&w->ends);
	hash_index_free(&w->index);
	u64map_free(&w->keys);
	*w = (struct arrow_words){ .text = BUF_MEMORY, .ends = BUF_MEMORY };
}

void arrow_column_free(struct arrow_column *c)
{
	for (size_t i = 0; i < c->nr_children; i++)
		arrow_column_free(&c->children[i]);
	buf_free(&c->valid);
	buf_free(&c->ends);
	buf_free(&c->values);
	free_words(&c->words);
	c->valid = c->ends = c->values = BUF_MEMORY;
	c->n = c->nr_nulls = 0;
}

uint64_t arrow_column_bytes(const struct arrow_column *c)
{
	uint64_t bytes = c->valid.n + c->ends.n + c->values.n + c->words.text.n + c->words.ends.n;

	for (size_t i = 0; i < c->nr_children; i++)
		bytes += arrow_column_bytes(&c->children[i]);
	return bytes;
}

/* ---- rows ---- */

/* Bit @at of a row of bits, which has a byte for each eight. */
static void put_bit(struct buf *bits, uint64_t at, bool set)
{
	if (bits->n * 8 <= at)
		buf_char(bits, 0);
	if (bits->n * 8 > at && set)
		bits->p[at / 8] = (char)(bits->p[at / 8] | 1 << at % 8);
}

/* The rows before the first null were all valid. */
static void begin_valid(struct arrow_column *c)
{
	buf_pad(&c->valid, (char)0xff, c->n / 8);
	if (c->n % 8)
		buf_char(&c->valid, (char)((1 << c->n % 8) - 1));
}

static void count_row(struct arrow_column *c, bool valid)
{
	if (!valid && !c->nr_nulls)
		begin_valid(c);
	c->nr_nulls += !valid;
	if (c->nr_nulls)
		put_bit(&c->valid, c->n, valid);
	c->n++;
}

/* An offset that is too large is found when the array is made: all offsets grow. */
static void put_end(struct buf *ends, uint64_t end)
{
	int32_t v = (int32_t)end;

	if (!ends->n)
		buf_put(ends, &(int32_t){ 0 }, sizeof(v));
	buf_put(ends, &v, sizeof(v));
}

static void put_number(struct arrow_column *c, uint64_t v)
{
	uint32_t half = (uint32_t)v;

	if (c->kind == ARROW_BOOL)
		put_bit(&c->values, c->n, v);
	else if (kinds[c->kind].size == 4)
		buf_put(&c->values, &half, sizeof(half));
	else
		buf_put(&c->values, &v, sizeof(v));
}

void arrow_put_int(struct arrow_column *c, uint64_t v)
{
	put_number(c, v);
	count_row(c, true);
}

void arrow_put_int_if(struct arrow_column *c, bool known, uint64_t v)
{
	if (known)
		arrow_put_int(c, v);
	else
		arrow_put_null(c);
}

void arrow_end_row(struct arrow_column *c)
{
	if (c->kind == ARROW_LIST)
		put_end(&c->ends, c->children[0].n);
	count_row(c, true);
}

void arrow_put_null(struct arrow_column *c)
{
	if (c->kind == ARROW_STRUCT)
		for (size_t i = 0; i < c->nr_children; i++)
			arrow_put_null(&c->children[i]);
	else if (c->kind == ARROW_LIST)
		put_end(&c->ends, c->children[0].n);
	else if (kinds[c->kind].has_ends)
		put_end(&c->ends, c->values.n);
	else
		put_number(c, 0);
	count_row(c, false);
}

/* ---- words ---- */

/* Offsets of more than 2 GiB of texts are refused when the array is made: until then, they are within the texts. */
static size_t word_begin(const struct arrow_words *w, uint32_t number)
{
	uint32_t begin;

	memcpy(&begin, w->ends.p + number * sizeof(begin), sizeof(begin));
	return begin;
}

/* The number of a text; UINT32_MAX when out of memory. It is made valid first: two texts may become the same one. */
static uint32_t word_of(struct arrow_words *w, const char *s, size_t len)
{
	size_t begin = w->text.n;
	uint64_t hash;
	uint32_t number;

	if (!w->ends.n)
		buf_put(&w->ends, &(int32_t){ 0 }, sizeof(int32_t));
	buf_utf8(&w->text, s, len);
	if (w->text.failed || w->ends.failed)
		return UINT32_MAX;
	len = w->text.n - begin;
	hash = hash_bytes_seeded(hash_index_seed(&w->index), len ? w->text.p + begin : "", len);
	hash_index_each(&w->index, hash, number) {
		size_t at = word_begin(w, number), end = word_begin(w, number + 1);

		if (end - at == len && (!len || memcmp(w->text.p + at, w->text.p + begin, len) == 0)) {
			w->text.n = begin;
			return number;
		}
	}
	put_end(&w->ends, w->text.n);
	return w->ends.failed || hash_index_add(&w->index, hash, w->n) < 0 ? UINT32_MAX : w->n++;
}

static void put_word_number(struct arrow_column *c, uint32_t number)
{
	if (number == UINT32_MAX)
		c->values.failed = -SONDE_NOMEM;
	arrow_put_int(c, number);
}

void arrow_put_word(struct arrow_column *c, uint64_t key, const char *s)
{
	uint32_t number = u64map_get(&c->words.keys, key);

	if (number == U64MAP_NONE) {
		number = word_of(&c->words, s, strlen(s));
		if (number != UINT32_MAX && u64map_set(&c->words.keys, key, number) < 0)
			number = UINT32_MAX;
	}
	put_word_number(c, number);
}

void arrow_put_text(struct arrow_column *c, const char *s, size_t len)
{
	if (c->kind == ARROW_WORD) {
		put_word_number(c, word_of(&c->words, s, len));
		return;
	}
	if (c->kind == ARROW_TEXT)
		buf_utf8(&c->values, s, len);
	else if (len)
		buf_put(&c->values, s, len);
	put_end(&c->ends, c->values.n);
	count_row(c, true);
}

/* ---- arrays ---- */

/* An array owns its buffers and, unless their consumer has taken them away, its children. */
struct array {
	struct buf owned[MOST_BUFFERS];
	const void *buffers[MOST_BUFFERS];
	struct ArrowArray dictionary;
	struct ArrowArray *children[];
};

static void release_array(struct ArrowArray *a)
{
	struct array *own = a->private_data;

	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i] && a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	if (own->dictionary.release)
		own->dictionary.release(&own->dictionary);
	for (size_t i = 0; i < MOST_BUFFERS; i++)
		buf_free(&own->owned[i]);
	free(own);
	a->release = NULL;
}

/* An array without buffers and children, for so many of them. */
static struct array *new_array(struct ArrowArray *out, uint64_t length, uint64_t nr_nulls, size_t nr_children)
{
	struct array *own = calloc(1, sizeof(*own) + nr_children * sizeof(own->children[0]));

	if (!own)
		return NULL;
	for (size_t i = 0; i < MOST_BUFFERS; i++)
		own->owned[i] = BUF_MEMORY;
	*out = (struct ArrowArray){ .length = (int64_t)length, .null_count = (int64_t)nr_nulls, .n_buffers = 1,
				    .buffers = own->buffers, .children = nr_children ? own->children : NULL,
				    .release = release_array, .private_data = own };
	return own;
}

/* The memory of @from becomes the array's. Some consumers want an address also of nothing. */
static void take_buffer(struct ArrowArray *a, struct buf *from)
{
	struct array *own = a->private_data;
	size_t at = (size_t)a->n_buffers++;

	own->owned[at] = *from;
	*from = BUF_MEMORY;
	own->buffers[at] = own->owned[at].p ? (const void *)own->owned[at].p : (const void *)own;
}

static int take_dictionary(struct arrow_column *c, struct ArrowArray *a)
{
	struct array *own = a->private_data;

	if (!new_array(&own->dictionary, c->words.n, 0, 0))
		return -SONDE_NOMEM;
	a->dictionary = &own->dictionary;
	take_buffer(a->dictionary, &c->words.ends);
	take_buffer(a->dictionary, &c->words.text);
	free_words(&c->words);
	return 0;
}

static int take_children(struct arrow_column *c, struct ArrowArray *a)
{
	for (size_t i = 0; i < c->nr_children; i++) {
		int r;

		a->children[i] = calloc(1, sizeof(*a->children[i]));
		if (!a->children[i])
			return -SONDE_NOMEM;
		a->n_children++;
		r = arrow_column_take(&c->children[i], a->children[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static void end_buffers(struct arrow_column *c)
{
	if (kinds[c->kind].has_ends && !c->ends.n)
		buf_put(&c->ends, &(int32_t){ 0 }, sizeof(int32_t));
	if (c->kind == ARROW_WORD && !c->words.ends.n)
		buf_put(&c->words.ends, &(int32_t){ 0 }, sizeof(int32_t));
}

static int check(const struct arrow_column *c)
{
	if (c->valid.failed || c->ends.failed || c->values.failed || c->words.text.failed || c->words.ends.failed)
		return -SONDE_NOMEM;
	if ((kinds[c->kind].has_ends && c->values.n > INT32_MAX) || c->words.text.n > INT32_MAX || c->n > INT32_MAX)
		return -SONDE_UNSUPPORTED;
	return 0;
}

static int fill(struct arrow_column *c, struct ArrowArray *a)
{
	struct array *own = a->private_data;

	own->owned[0] = c->valid;
	own->buffers[0] = c->nr_nulls ? own->owned[0].p : NULL;
	c->valid = BUF_MEMORY;
	if (kinds[c->kind].has_ends)
		take_buffer(a, &c->ends);
	if (c->kind != ARROW_STRUCT && c->kind != ARROW_LIST)
		take_buffer(a, &c->values);
	if (c->kind == ARROW_WORD && take_dictionary(c, a) < 0)
		return -SONDE_NOMEM;
	return take_children(c, a);
}

int arrow_column_take(struct arrow_column *c, struct ArrowArray *out)
{
	int r;

	end_buffers(c);
	r = check(c);
	if (r == 0 && !new_array(out, c->n, c->nr_nulls, c->nr_children))
		r = -SONDE_NOMEM;
	if (r < 0)
		return r;
	r = fill(c, out);
	if (r < 0)
		out->release(out);
	c->n = c->nr_nulls = 0;
	return r;
}

/* ---- types ---- */

struct schema {
	char *name;
	struct buf metadata;
	struct ArrowSchema dictionary;
	struct ArrowSchema *children[];
};

static void release_schema(struct ArrowSchema *s)
{
	struct schema *own = s->private_data;

	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->release)
			s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	if (own->dictionary.release)
		own->dictionary.release(&own->dictionary);
	buf_free(&own->metadata);
	free(own->name);
	free(own);
	s->release = NULL;
}

static int new_schema(struct ArrowSchema *out, const char *format, const char *name, size_t nr_children)
{
	struct schema *own = calloc(1, sizeof(*own) + nr_children * sizeof(own->children[0]));

	if (!own)
		return -SONDE_NOMEM;
	own->metadata = BUF_MEMORY;
	*out = (struct ArrowSchema){ .format = format, .flags = ARROW_FLAG_NULLABLE, .release = release_schema,
				     .children = nr_children ? own->children : NULL, .private_data = own };
	own->name = strdup(name);
	out->name = own->name;
	if (own->name)
		return 0;
	out->release(out);
	return -SONDE_NOMEM;
}

/* Field names of a trace are not always UTF-8. */
static int take_name(const char *name, struct buf *clean)
{
	*clean = BUF_MEMORY;
	buf_utf8(clean, name, strlen(name));
	buf_char(clean, 0);
	return clean->failed ? -SONDE_NOMEM : 0;
}

static void put_metadata_text(struct buf *b, const char *s)
{
	int32_t len = (int32_t)strlen(s);

	buf_put(b, &len, sizeof(len));
	buf_str(b, s);
}

static int put_clock(struct ArrowSchema *s, const char *clock)
{
	struct schema *own = s->private_data;

	buf_put(&own->metadata, &(int32_t){ 1 }, sizeof(int32_t));
	put_metadata_text(&own->metadata, "clock");
	put_metadata_text(&own->metadata, clock);
	s->metadata = own->metadata.p;
	return own->metadata.failed ? -SONDE_NOMEM : 0;
}

static int schema_parts(const struct arrow_column *c, const char *clock, struct ArrowSchema *out)
{
	struct schema *own = out->private_data;

	if (clock && put_clock(out, clock) < 0)
		return -SONDE_NOMEM;
	if (c->kind == ARROW_WORD) {
		if (new_schema(&own->dictionary, "u", "", 0) < 0)
			return -SONDE_NOMEM;
		out->dictionary = &own->dictionary;
	}
	for (size_t i = 0; i < c->nr_children; i++) {
		out->children[i] = calloc(1, sizeof(*out->children[i]));
		if (!out->children[i])
			return -SONDE_NOMEM;
		out->n_children++;
		if (arrow_column_schema(&c->children[i], NULL, out->children[i]) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int arrow_column_schema(const struct arrow_column *c, const char *clock, struct ArrowSchema *out)
{
	struct buf name;
	int r = take_name(c->name, &name);

	if (r == 0)
		r = new_schema(out, kinds[c->kind].format, name.p, c->nr_children);
	buf_free(&name);
	if (r < 0)
		return r;
	r = schema_parts(c, clock, out);
	if (r < 0)
		out->release(out);
	return r;
}
