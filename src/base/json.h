/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON text, on one line
 *
 *	struct json j = json_new(&out);
 *	json_object(&j);
 *	json_key(&j, "name");
 *	json_text(&j, "cycles");
 *	json_end(&j);
 *
 * Commas are put where they belong. Integers are written in full: a reader that has
 * only doubles loses the low bits of those above 2^53, therefore bit masks and addresses are texts in hexadecimal.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

struct json {
	struct buf *out;
	uint64_t arrays;             /* bit n: what is open at depth n is an array */
	unsigned depth;              /* below 64 */
	int comma;                   /* the next value is not the first one of what is open */
};

static inline struct json json_new(struct buf *out)
{
	return (struct json){ .out = out };
}

void json_object(struct json *j);
void json_array(struct json *j);
void json_end(struct json *j);                               /* of what was opened last */

void json_key(struct json *j, const char *key);              /* ours: not escaped */
void json_key_text(struct json *j, const char *key);         /* from anywhere */

void json_text(struct json *j, const char *s);               /* null for NULL */
void json_text_n(struct json *j, const char *s, size_t len);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
/* as many digits as tell it from others; null if it is no number */
void json_double(struct json *j, double v);
void json_millis(struct json *j, uint64_t ns);               /* as milliseconds, with all digits: 12.000345 */
void json_hex(struct json *j, uint64_t v);                   /* "0x1f" */
void json_bytes(struct json *j, const void *p, size_t n);    /* "00ff..." */
void json_bool(struct json *j, int v);
void json_null(struct json *j);

static inline void json_member_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_text(j, text);
}

static inline void json_member_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

#endif
