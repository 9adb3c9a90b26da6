/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

#define MEMBERS_MAX 1024             /* of a row */

struct json_reader json_reader(const char *text, size_t size, struct arena *arena)
{
	return (struct json_reader){ .cursor = jcur_new(text, size, NULL, NULL), .arena = arena };
}

void json_reader_enter(struct json_reader *r, const char *member)
{
	struct json_cursor c = r->cursor;
	struct buf unescaped = BUF_MEMORY;
	struct sonde_str key;
	int e = jcur_peek(&c) == '{' ? jcur_first(&c, '{') : 0;

	c.text = &unescaped;
	for (; e > 0 && jcur_key(&c, &key) == 0; e = jcur_next(&c, '}')) {
		if (str_is(key, member)) {
			r->cursor.p = c.p;
			r->within = true;
			break;
		}
		jcur_skip(&c);
	}
	buf_free(&unescaped);
}

/* A number, true, false or null as it is written. Vendors also write 0x1f, which is not JSON. */
static int take_word(struct json_cursor *c, struct sonde_str *out)
{
	const char *first = c->p;

	while (c->p < c->end && !strchr(",]} \t\r\n", *c->p))
		c->p++;
	*out = (struct sonde_str){ first, (size_t)(c->p - first) };
	return out->len ? 1 : jcur_expected(c, "a value");
}

static int take_value(struct json_reader *r, const char **out)
{
	struct json_cursor *c = &r->cursor;
	char first = jcur_peek(c);
	struct sonde_str text;
	int e;

	*out = "";
	if (first == '[' || first == '{')
		return jcur_skip(c);
	e = first == '"' ? jcur_text(c, &text) : take_word(c, &text);
	if (e < 0)
		return e;
	if (first == '"' || !str_is(text, "null"))
		*out = arena_strndup(r->arena, text.p, text.len);
	return *out ? 0 : -SONDE_NOMEM;
}

static int take_member(struct json_reader *r, struct json_row *row)
{
	struct sonde_str key;
	struct json_member m;
	int e;

	if (row->members.n == MEMBERS_MAX)
		return jcur_expected(&r->cursor, "at most 1024 members");
	e = jcur_key(&r->cursor, &key);
	if (e < 0)
		return e;
	m.key = arena_strndup(r->arena, key.p, key.len);
	if (!m.key)
		return -SONDE_NOMEM;
	e = take_value(r, &m.value);
	return e < 0 ? e : vec_push(&row->members, m);
}

static int take_row(struct json_reader *r, struct json_row *row)
{
	struct json_cursor *c = &r->cursor;
	int e = r->started ? jcur_next(c, ']') : jcur_first(c, '[');

	r->started = true;
	if (e == 0 && !r->within && jcur_peek(c))
		return jcur_expected(c, "the end of the text");
	if (e <= 0)
		return e;
	for (e = jcur_first(c, '{'); e > 0; e = jcur_next(c, '}')) {
		e = take_member(r, row);
		if (e < 0)
			return e;
	}
	return e < 0 ? e : 1;
}

int json_read_row(struct json_reader *r, struct json_row *row)
{
	struct buf unescaped = BUF_MEMORY;
	int e;

	row->members.n = 0;
	r->cursor.text = &unescaped;
	e = take_row(r, row);
	if (e < 0 && e != -SONDE_NOMEM)
		e = unescaped.failed ? unescaped.failed : -SONDE_CORRUPT;
	r->cursor.text = NULL;
	buf_free(&unescaped);
	return e;
}

const char *json_row_get(const struct json_row *row, const char *key)
{
	for (size_t i = 0; i < row->members.n; i++)
		if (!strcasecmp(row->members.at[i].key, key))
			return row->members.at[i].value;
	return NULL;
}
