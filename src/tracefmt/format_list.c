/* SPDX-License-Identifier: MIT */
#include "tracefmt/format_list.h"

int format_list_read(struct cursor *c, const char *system, format_list_fn fn, void *ctx)
{
	int r = 0;

	for (uint32_t n = cur_u32(c); n > 0 && cur_ok(c) && r == 0; n--) {
		uint64_t size = cur_u64(c), at = c->at;
		const uint8_t *p = cur_take(c, size);

		if (p && fn)
			r = fn(ctx, system, (struct sonde_str){ (const char *)p, size }, at);
	}
	return r;
}

int format_list_read_systems(struct cursor *c, format_list_fn fn, void *ctx)
{
	int r = 0;

	for (uint32_t n = cur_u32(c); n > 0 && cur_ok(c) && r == 0; n--) {
		struct sonde_str system = cur_strz(c);

		r = cur_ok(c) ? format_list_read(c, system.p, fn, ctx) : 0;  /* a NUL ends the name */
	}
	return r;
}
