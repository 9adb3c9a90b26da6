/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

int cur_short(struct cursor *c, uint64_t need)
{
	uint64_t left = cur_left(c);

	c->p = c->end;
	if (c->failed)
		return -SONDE_TRUNCATED;
	c->failed = true;
	return err_set(c->err, SONDE_TRUNCATED, c->at, "need %" PRIu64 " bytes, %" PRIu64 " left", need, left);
}

struct sonde_str cur_strz(struct cursor *c)
{
	const uint8_t *nul = cur_left(c) ? memchr(c->p, 0, cur_left(c)) : NULL;
	struct sonde_str s = { "", 0 };

	if (!nul) {
		cur_short(c, cur_left(c) + 1);
		return s;
	}
	s.p = (const char *)c->p;
	s.len = (size_t)(nul - c->p);
	c->at += s.len + 1;
	c->p = nul + 1;
	return s;
}

uint64_t cur_uleb(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && cur_ok(c); shift += 7) {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
	}
	return v;
}

int64_t cur_sleb(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; byte & 0x80 && cur_ok(c); shift += 7) {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (byte & 0x40 && shift < 64)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}
