/* SPDX-License-Identifier: MIT */
#include "parquet/thrift.h"

#include "base/protobuf.h"
#include "parquet/zigzag.h"

/* A short form holds the distance to the last id in the byte of the type. */
static void put_head(struct thrift_writer *t, int id, enum thrift_type type)
{
	int *last = &t->last[t->depth], delta = id - *last;

	if (delta > 0 && delta < 16) {
		buf_char(t->to, (char)(delta << 4 | (int)type));
	} else {
		buf_char(t->to, (char)type);
		pb_varint(t->to, zigzag(id));
	}
	*last = id;
}

void thrift_put_bool(struct thrift_writer *t, int id, bool v)
{
	put_head(t, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_i32(struct thrift_writer *t, int id, int32_t v)
{
	put_head(t, id, THRIFT_I32);
	thrift_put_i32_element(t, v);
}

void thrift_put_i64(struct thrift_writer *t, int id, int64_t v)
{
	put_head(t, id, THRIFT_I64);
	pb_varint(t->to, zigzag(v));
}

void thrift_put_binary(struct thrift_writer *t, int id, const void *p, size_t n)
{
	put_head(t, id, THRIFT_BINARY);
	thrift_put_binary_element(t, p, n);
}

void thrift_begin(struct thrift_writer *t, int id)
{
	put_head(t, id, THRIFT_STRUCT);
	thrift_begin_element(t);
}

void thrift_end(struct thrift_writer *t)
{
	buf_char(t->to, THRIFT_STOP);
	if (t->depth > 0)
		t->depth--;
}

void thrift_put_list(struct thrift_writer *t, int id, enum thrift_type type, size_t n)
{
	put_head(t, id, THRIFT_LIST);
	if (n < 15) {
		buf_char(t->to, (char)(n << 4 | type));
	} else {
		buf_char(t->to, (char)(0xf0 | type));
		pb_varint(t->to, n);
	}
}

void thrift_begin_element(struct thrift_writer *t)
{
	t->last[++t->depth] = 0;
}

void thrift_put_i32_element(struct thrift_writer *t, int32_t v)
{
	pb_varint(t->to, zigzag(v));
}

void thrift_put_binary_element(struct thrift_writer *t, const void *p, size_t n)
{
	pb_varint(t->to, n);
	buf_put(t->to, p, n);
}

int thrift_failure(const struct cursor *from)
{
	return !from->failed ? 0 : from->err && from->err->code ? -(int)from->err->code : -SONDE_TRUNCATED;
}

static void fail(struct cursor *from, const char *text)
{
	if (from->failed)
		return;
	err_set(from->err, SONDE_CORRUPT, from->at, "%s", text);
	from->failed = true;
	from->p = from->end;
}

/* Whether the field has the type that is expected. */
static bool has_type(struct cursor *from, const struct thrift_field *f, enum thrift_type type)
{
	if (f->type == type)
		return true;
	if (!from->failed)
		err_set(from->err, SONDE_CORRUPT, from->at, "field %" PRId64 " has type %d, %d is expected", f->id,
			(int)f->type, (int)type);
	fail(from, "");
	return false;
}

bool thrift_next(struct cursor *from, struct thrift_field *f)
{
	uint8_t head = cur_u8(from);

	f->type = head & 0xf;
	if (from->failed || f->type == THRIFT_STOP)
		return false;
	f->id = head >> 4 ? f->id + (head >> 4) : unzigzag(cur_uleb(from));
	if (f->id < 0 || f->id > INT16_MAX)
		fail(from, "a field has no number of 16 bits");
	return !from->failed;
}

int64_t thrift_int(struct cursor *from, const struct thrift_field *f)
{
	if (f->type != THRIFT_I32 && !has_type(from, f, THRIFT_I64))
		return 0;
	return unzigzag(cur_uleb(from));
}

struct sonde_bytes thrift_binary(struct cursor *from, const struct thrift_field *f)
{
	uint64_t n = has_type(from, f, THRIFT_BINARY) ? cur_uleb(from) : 0;
	const uint8_t *p = cur_take(from, n);

	return (struct sonde_bytes){ p, p ? (size_t)n : 0 };
}

static uint64_t take_list(struct cursor *from, enum thrift_type *type)
{
	uint8_t head = cur_u8(from);
	uint64_t n = head >> 4;

	*type = head & 0xf;
	if (n == 15)
		n = cur_uleb(from);
	if (n > cur_left(from))
		fail(from, "a list has more elements than bytes follow");
	return from->failed ? 0 : n;
}

uint64_t thrift_list(struct cursor *from, const struct thrift_field *f, enum thrift_type type)
{
	enum thrift_type found;
	uint64_t n;

	if (!has_type(from, f, THRIFT_LIST))
		return 0;
	n = take_list(from, &found);
	if (n && found != type)
		fail(from, "a list has elements of another type than expected");
	return from->failed ? 0 : n;
}

bool thrift_struct(struct cursor *from, const struct thrift_field *f)
{
	return has_type(from, f, THRIFT_STRUCT);
}

static void skip_value(struct cursor *from, enum thrift_type type, unsigned depth);

static void skip_struct(struct cursor *from, unsigned depth)
{
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		if (f.type != THRIFT_TRUE && f.type != THRIFT_FALSE)  /* a field of them has no body */
			skip_value(from, f.type, depth);
}

static void skip_list(struct cursor *from, unsigned depth)
{
	enum thrift_type type;

	for (uint64_t n = take_list(from, &type); n && !from->failed; n--)
		skip_value(from, type, depth);
}

static void skip_map(struct cursor *from, unsigned depth)
{
	uint64_t n = cur_uleb(from);
	uint8_t types = n ? cur_u8(from) : 0;

	if (n > cur_left(from))
		fail(from, "a map has more elements than bytes follow");
	for (; n && !from->failed; n--) {
		skip_value(from, types >> 4, depth);
		skip_value(from, types & 0xf, depth);
	}
}

static void skip_value(struct cursor *from, enum thrift_type type, unsigned depth)
{
	if (depth == THRIFT_DEPTH) {
		fail(from, "structs are nested too deeply");
		return;
	}
	switch (type) {
	case THRIFT_TRUE:
	case THRIFT_FALSE:
	case THRIFT_I8:
		cur_take(from, 1);
		break;
	case THRIFT_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		cur_uleb(from);
		break;
	case THRIFT_DOUBLE:
		cur_take(from, 8);
		break;
	case THRIFT_BINARY:
		cur_take(from, cur_uleb(from));
		break;
	case THRIFT_LIST:
	case THRIFT_SET:
		skip_list(from, depth + 1);
		break;
	case THRIFT_MAP:
		skip_map(from, depth + 1);
		break;
	case THRIFT_STRUCT:
		skip_struct(from, depth + 1);
		break;
	default:
		fail(from, "a value has a type that the compact protocol does not have");
	}
}

void thrift_skip(struct cursor *from, const struct thrift_field *f)
{
	if (f->type != THRIFT_TRUE && f->type != THRIFT_FALSE)
		skip_value(from, f->type, 0);
}
