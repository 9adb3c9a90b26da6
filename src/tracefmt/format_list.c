/* SPDX-License-Identifier: MIT */
#include "tracefmt/format_list.h"

#include <string.h>

#include "base/put.h"

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

int format_lists_add(struct format_lists *l, const char *system, struct sonde_str text)
{
	uint32_t number = strpool_add(&l->names, system, strlen(system)), at = (uint32_t)l->formats.n;
	struct format_system *s;

	if (number == UINT32_MAX || vec_push(&l->formats, ((struct format_text){ text, 0 })) < 0)
		return -SONDE_NOMEM;
	while (l->systems.n <= number)
		if (vec_push(&l->systems, ((struct format_system){ 0 })) < 0)
			return -SONDE_NOMEM;
	s = &l->systems.at[number];
	if (s->nr++ == 0)
		s->first = at;
	else
		l->formats.at[s->last].next = at;
	s->last = at;
	return 0;
}

static void put_list(const struct format_lists *l, const struct format_system *s, bool swap, struct buf *out)
{
	put_u32(out, s->nr, swap);
	for (uint32_t n = 0, i = s->first; n < s->nr; n++, i = l->formats.at[i].next) {
		put_u64(out, l->formats.at[i].text.len, swap);
		buf_put(out, l->formats.at[i].text.p, l->formats.at[i].text.len);
	}
}

void format_lists_put(struct format_lists *l, const char *system, bool swap, struct buf *out)
{
	static const struct format_system none;
	uint32_t number = strpool_find(&l->names, system, strlen(system));

	put_list(l, number < l->systems.n ? &l->systems.at[number] : &none, swap, out);
}

void format_lists_put_systems(struct format_lists *l, const char *except, bool swap, struct buf *out)
{
	uint32_t left_out = except ? strpool_find(&l->names, except, strlen(except)) : UINT32_MAX, nr = 0;

	for (uint32_t i = 0; i < l->systems.n; i++)
		nr += l->systems.at[i].nr && i != left_out;
	put_u32(out, nr, swap);
	for (uint32_t i = 0; i < l->systems.n; i++) {
		if (!l->systems.at[i].nr || i == left_out)
			continue;
		put_strz(out, strpool_get(&l->names, i));
		put_list(l, &l->systems.at[i], swap, out);
	}
}

void format_lists_free(struct format_lists *l)
{
	strpool_free(&l->names);
	vec_free(&l->systems);
	vec_free(&l->formats);
}
