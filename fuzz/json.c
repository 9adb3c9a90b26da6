/* SPDX-License-Identifier: MIT */
/* Any bytes as JSON: every value read, the same bytes passed over, and the rows of an array or of a member. */
#include <stdlib.h>

#include "base/json_cursor.h"
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Deeper values are passed over: the walk is recursive, the library's is not. */
enum { DEEPEST = 50 };

static int read_value(struct json_cursor *c, int depth);

static int read_members(struct json_cursor *c, int depth)
{
	struct sonde_str key;
	int r;

	for (r = jcur_first(c, '{'); r > 0; r = jcur_next(c, '}')) {
		r = jcur_key(c, &key);
		if (r == 0)
			r = read_value(c, depth + 1);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_elements(struct json_cursor *c, int depth)
{
	int r;

	for (r = jcur_first(c, '['); r > 0; r = jcur_next(c, ']')) {
		r = read_value(c, depth + 1);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_value(struct json_cursor *c, int depth)
{
	struct sonde_str text;
	double v;
	char first = jcur_peek(c);
	int r;

	if (depth > DEEPEST)
		return jcur_skip(c);
	if (first == '{')
		return read_members(c, depth);
	if (first == '[')
		return read_elements(c, depth);
	if (first == '"')
		r = jcur_text(c, &text);
	else
		r = first == 't' || first == 'f' ? jcur_skip(c) : jcur_number(c, &v);
	return r < 0 ? r : 0;
}

static void read_rows(const char *text, size_t size, const char *member)
{
	struct arena arena = { 0 };
	struct json_reader r = json_reader(text, size, &arena);
	struct json_row row = { 0 };

	if (member)
		json_reader_enter(&r, member);
	while (json_read_row(&r, &row) > 0)
		json_row_get(&row, "EventName");
	vec_free(&row.members);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	const char *text = (const char *)data;
	struct buf unescaped = BUF_MEMORY;
	struct json_cursor c = jcur_new(text, size, &unescaped, &err), skipped = jcur_new(text, size, &unescaped, NULL);
	int r = read_value(&c, 0);

	/* a value that can be read can be passed over, and ends at the same place */
	if (r == 0 && (jcur_skip(&skipped) < 0 || jcur_at(&skipped) != jcur_at(&c)))
		abort();
	if (r < 0 && (!err.code || err.file_offset > size))
		abort();
	read_rows(text, size, NULL);
	read_rows(text, size, "Events");
	buf_free(&unescaped);
	return 0;
}
