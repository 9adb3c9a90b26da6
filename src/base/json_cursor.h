/* SPDX-License-Identifier: MIT */
/*
 * json_cursor.h - a JSON text that is read value by value, where it stands
 *
 *	for (r = jcur_first(&c, '['); r > 0; r = jcur_next(&c, ']'))
 *		if (jcur_number(&c, &v) < 0)
 *			break;
 *
 * A cursor is a copy of a place: several read the columns of a table side by side, and no tree of the text is built. So
 * memory does not grow with the text (docs/decisions/reading-json.md). After the first failure every further step
 * fails, and `err` says where and what was expected.
 */
#ifndef BASE_JSON_CURSOR_H
#define BASE_JSON_CURSOR_H

#include "base/buf.h"

struct json_cursor {
	const char *begin, *p, *end;
	struct sonde_error *err;     /* may be NULL */
	struct buf *text;            /* a buffer in memory, for texts with escapes; shared by copies */
	bool failed;
};

struct json_cursor jcur_new(const char *text, size_t size, struct buf *buf, struct sonde_error *err);

/* The first byte of the next value: one of {["-0..9tfn; or what stands there instead. '\0': the text ends. */
char jcur_peek(struct json_cursor *c);

/* Steps into an array or an object (@open is '[' or '{'): 1 if it has elements, 0 if not, negative on failure. */
int jcur_first(struct json_cursor *c, char open);

/* Steps over the comma: 1, or 0 after the closing bracket @close, negative on failure. */
int jcur_next(struct json_cursor *c, char close);

/* The key of a member, and its colon. A view until the next text is read. 0 or negative. */
int jcur_key(struct json_cursor *c, struct sonde_str *key);

/* 1; 0 for null, and *out is 0; negative on failure. */
int jcur_number(struct json_cursor *c, double *out);

/* 1; 0 for null, and *out is empty; negative on failure. A view until the next text is read. */
int jcur_text(struct json_cursor *c, struct sonde_str *out);

/* Steps over a value of any kind. 0 or negative. */
int jcur_skip(struct json_cursor *c);

/* Fails the cursor where it stands, unless it has failed before: "expected ..., found ...". */
int jcur_expected(struct json_cursor *c, const char *expected);

/* The place of the cursor in the text. */
static inline uint64_t jcur_at(const struct json_cursor *c)
{
	return (uint64_t)(c->p - c->begin);
}

#endif
