/* SPDX-License-Identifier: MIT */
#include "base/protobuf_read.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, DONE = 8 };

/* At most ten bytes; the last has one bit of the number. */
static uint64_t take_varint(struct cursor *c)
{
	uint64_t at = c->at, v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cur_u8(c);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	err_set(c->err, SONDE_CORRUPT, at, "a number of more than ten bytes");
	c->failed = true;
	return 0;
}

static int fail(struct cursor *c, uint64_t at, const char *what, uint64_t found)
{
	c->failed = true;
	return err_set(c->err, SONDE_CORRUPT, at, "no field of a message: %s %" PRIu64, what, found);
}

int pb_next(struct cursor *c, struct pb_field *f)
{
	uint64_t key, at = c->at;

	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	if (!cur_left(c))
		return 0;
	key = take_varint(c);
	*f = (struct pb_field){ .number = (uint32_t)(key >> 3), .wire = key & 7, .at = at };
	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	if (!f->number || key >> 32)
		return fail(c, at, "expected a number from 1 to 536870911, found", key >> 3);
	switch (f->wire) {
	case VARINT: f->value = take_varint(c); break;
	case FIXED64: f->value = cur_u64(c); break;
	case FIXED32: f->value = cur_u32(c); break;
	case BYTES: f->body = cur_sub(c, take_varint(c)); break;
	default: return fail(c, at, "expected a wire type of 0, 1, 2 or 5, found", key & 7);
	}
	return cur_ok(c) ? 1 : -SONDE_CORRUPT;
}

int pb_next_number(struct pb_field *f, uint64_t *out)
{
	if (f->wire == BYTES) {
		if (!cur_left(&f->body))
			return cur_ok(&f->body) ? 0 : -SONDE_CORRUPT;
		*out = take_varint(&f->body);
		return cur_ok(&f->body) ? 1 : -SONDE_CORRUPT;
	}
	if (f->wire == DONE)
		return 0;
	*out = f->value;
	f->wire = DONE;
	return 1;
}
