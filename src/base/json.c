/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>

static void value(struct json *j)
{
	if (j->comma)
		buf_char(j->out, ',');
	j->comma = 1;
}

static void open(struct json *j, int array)
{
	value(j);
	buf_char(j->out, array ? '[' : '{');
	j->depth++;
	if (array)
		j->arrays |= UINT64_C(1) << j->depth;
	else
		j->arrays &= ~(UINT64_C(1) << j->depth);
	j->comma = 0;
}

void json_object(struct json *j)
{
	open(j, 0);
}

void json_array(struct json *j)
{
	open(j, 1);
}

void json_end(struct json *j)
{
	buf_char(j->out, j->arrays >> j->depth & 1 ? ']' : '}');
	j->depth--;
	j->comma = 1;
}

void json_key(struct json *j, const char *key)
{
	value(j);
	buf_char(j->out, '"');
	buf_str(j->out, key);
	buf_put(j->out, "\":", 2);
	j->comma = 0;
}

void json_key_text(struct json *j, const char *key)
{
	value(j);
	buf_json(j->out, key, strlen(key));
	buf_char(j->out, ':');
	j->comma = 0;
}

void json_text(struct json *j, const char *s)
{
	if (s)
		json_text_n(j, s, strlen(s));
	else
		json_null(j);
}

void json_text_n(struct json *j, const char *s, size_t len)
{
	value(j);
	buf_json(j->out, s, len);
}

void json_u64(struct json *j, uint64_t v)
{
	value(j);
	buf_u64(j->out, v);
}

void json_i64(struct json *j, int64_t v)
{
	value(j);
	buf_i64(j->out, v);
}

void json_double(struct json *j, double v)
{
	if (!isfinite(v)) {
		json_null(j);
		return;
	}
	value(j);
	buf_printf(j->out, "%.17g", v);
}

void json_millis(struct json *j, uint64_t ns)
{
	value(j);
	buf_u64(j->out, ns / 1000000);
	buf_char(j->out, '.');
	buf_u64_zero(j->out, ns % 1000000, 6);
}

void json_hex(struct json *j, uint64_t v)
{
	value(j);
	buf_put(j->out, "\"0x", 3);
	buf_hex(j->out, v);
	buf_char(j->out, '"');
}

void json_bytes(struct json *j, const void *p, size_t n)
{
	value(j);
	buf_char(j->out, '"');
	for (size_t i = 0; i < n; i++)
		buf_hex_zero(j->out, ((const uint8_t *)p)[i], 2);
	buf_char(j->out, '"');
}

void json_bool(struct json *j, int v)
{
	value(j);
	buf_str(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
	value(j);
	buf_str(j->out, "null");
}
