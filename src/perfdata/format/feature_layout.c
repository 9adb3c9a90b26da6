/* SPDX-License-Identifier: MIT */
#include "perfdata/format/feature_layout.h"

#define VERSION 1

/* A member of the struct that begins at @from. */
#define MEMBER(type, from, at) (*(type *)((uint8_t *)(from) + (at)))
#define CONST_MEMBER(type, from, at) (*(type const *)((const uint8_t *)(from) + (at)))

/* ---- from the file ---- */

/* The least that the fields of an element need in a file. */
static uint64_t least_bytes(const struct layout_field *f)
{
	uint64_t n = 0;

	for (; f->kind != LAYOUT_END; f++)
		n += f->width;
	return n;
}

static void read_bits(const struct layout_field *f, struct cursor *c, struct arena *a, void *to)
{
	uint64_t bits = cur_u64(c), nr = feat_count(c, words_of_bits(bits), 8);
	uint64_t *words = feat_array(c, a, nr, sizeof(*words));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++)
		words[i] = cur_u64(c);
	MEMBER(uint64_t, to, f->nr_at) = bits;
	MEMBER(uint64_t *, to, f->at) = words;
}

static int read_fields(const struct layout_field *f, struct cursor *c, struct arena *a, void *to);

static int read_list(const struct layout_field *f, uint64_t nr, struct cursor *c, struct arena *a, void *to)
{
	uint8_t *list;
	int r = 0;

	nr = feat_count(c, nr, least_bytes(f->fields));
	list = feat_array(c, a, nr, f->size);
	for (uint64_t i = 0; i < nr && cur_ok(c) && r == 0; i++)
		r = read_fields(f->fields, c, a, list + i * f->size);
	MEMBER(void *, to, f->at) = list;
	MEMBER(size_t, to, f->nr_at) = nr;
	return r;
}

static int read_field(const struct layout_field *f, struct cursor *c, struct arena *a, void *to)
{
	uint64_t at = c->at, v;

	if (f->kind == LAYOUT_TEXT)
		MEMBER(const char *, to, f->at) = feat_str(c, a);
	else if (f->kind == LAYOUT_BITS)
		read_bits(f, c, a, to);
	if (f->kind == LAYOUT_TEXT || f->kind == LAYOUT_BITS)
		return 0;
	v = f->width == 8 ? cur_u64(c) : cur_u32(c);
	if (f->kind == LAYOUT_LIST)
		return read_list(f, v, c, a, to);
	if (f->kind == LAYOUT_VERSION && cur_ok(c) && v != VERSION)
		return err_set(c->err, SONDE_UNSUPPORTED, at, "version %" PRIu64 ", expected %d", v, VERSION);
	if (f->kind == LAYOUT_BYTES)
		MEMBER(struct sonde_bytes, to, f->at) = (struct sonde_bytes){ cur_take(c, v), v };
	else if (f->kind == LAYOUT_NUMBER && f->width == 8)
		MEMBER(uint64_t, to, f->at) = v;
	else if (f->kind == LAYOUT_NUMBER)
		MEMBER(uint32_t, to, f->at) = (uint32_t)v;
	return 0;
}

static int read_fields(const struct layout_field *f, struct cursor *c, struct arena *a, void *to)
{
	int r = 0;

	for (; f->kind != LAYOUT_END && r == 0; f++)
		r = read_field(f, c, a, to);
	return r < 0 ? r : feat_status(c);
}

int layout_decode(const struct layout_field *fields, struct cursor *c, struct meta *meta, struct arena *a)
{
	struct meta next = *meta;
	int r = read_fields(fields, c, a, &next);

	if (r == 0)
		*meta = next;
	return r;
}

/* ---- to the file ---- */

/* A number; the one that counts the elements of a list, or the bytes of a field. */
static uint64_t number_of(const struct layout_field *f, const void *from)
{
	switch ((enum layout_kind)f->kind) {
	case LAYOUT_NUMBER:
		return f->width == 8 ? CONST_MEMBER(uint64_t, from, f->at) : CONST_MEMBER(uint32_t, from, f->at);
	case LAYOUT_BITS:
		return CONST_MEMBER(uint64_t, from, f->nr_at);
	case LAYOUT_LIST:
		return CONST_MEMBER(size_t, from, f->nr_at);
	case LAYOUT_BYTES:
		return CONST_MEMBER(struct sonde_bytes, from, f->at).len;
	default:
		return VERSION;
	}
}

static void write_fields(const struct layout_field *f, struct encoder *e, const void *from)
{
	for (; f->kind != LAYOUT_END; f++) {
		uint64_t n = number_of(f, from);
		const void *p = f->kind == LAYOUT_NUMBER ? NULL : CONST_MEMBER(void *, from, f->at);

		if (f->kind == LAYOUT_TEXT)
			enc_str(e, p);
		else if (f->width == 8)
			enc_u64(e, n);
		else
			enc_u32(e, (uint32_t)n);
		if (f->kind == LAYOUT_BYTES)
			buf_put(e->out, p, n);
		for (uint64_t i = 0; f->kind == LAYOUT_BITS && i < words_of_bits(n); i++)
			enc_u64(e, ((const uint64_t *)p)[i]);
		for (uint64_t i = 0; f->kind == LAYOUT_LIST && i < n; i++)
			write_fields(f->fields, e, (const uint8_t *)p + i * f->size);
	}
}

const char *layout_text(const struct layout_field *fields, const struct meta *meta)
{
	return CONST_MEMBER(char *, meta, fields->at);
}

int layout_encode(const struct layout_field *fields, struct encoder *e, const struct meta *meta)
{
	if (fields->kind == LAYOUT_TEXT && !layout_text(fields, meta))
		return -SONDE_MISSING;
	write_fields(fields, e, meta);
	return 0;
}

/* ---- as JSON ---- */

static void show(const struct layout_field *fields, const uint8_t *shown, struct json *j, const void *from);

static void show_field(const struct layout_field *f, struct json *j, const void *from)
{
	uint64_t n = number_of(f, from);

	if (f->kind == LAYOUT_TEXT)
		return json_text(j, CONST_MEMBER(char *, from, f->at));
	if (f->kind != LAYOUT_LIST)
		return json_u64(j, n);
	json_array(j);
	for (uint64_t i = 0; i < n; i++)
		show(f->fields, f->shown, j, CONST_MEMBER(uint8_t *, from, f->at) + i * f->size);
	json_end(j);
}

/* An object with a member for each field that has a key; the one field without a key is shown as it is. */
static void show(const struct layout_field *fields, const uint8_t *shown, struct json *j, const void *from)
{
	while (fields->kind == LAYOUT_VERSION)
		fields++;
	if (!fields->key)
		return show_field(fields, j, from);
	json_object(j);
	for (size_t i = 0; fields[i].kind != LAYOUT_END; i++) {
		const struct layout_field *f = &fields[shown ? shown[i] : i];

		json_key(j, f->key);
		show_field(f, j, from);
	}
	json_end(j);
}

void layout_json(const struct layout_field *fields, struct json *j, const struct meta *meta)
{
	show(fields, NULL, j, meta);
}
