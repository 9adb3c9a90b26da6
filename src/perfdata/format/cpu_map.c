/* SPDX-License-Identifier: MIT */
#include "perfdata/format/cpu_map.h"

#include "base/vec.h"

enum { LISTED, MASK, RANGE };

struct cpu_ranges {
	struct sonde_cpu_range *at;
	size_t n, cap;
};

static int add(struct cpu_ranges *list, int32_t first, int32_t last)
{
	struct sonde_cpu_range *before = list->n ? &list->at[list->n - 1] : NULL;

	if (before && before->last >= 0 && first == before->last + 1) {
		before->last = last;
		return 0;
	}
	return vec_push(list, ((struct sonde_cpu_range){ first, last }));
}

static int take_list(struct cpu_ranges *list, struct cursor *c)
{
	uint16_t nr = cur_u16(c);
	int r = 0;

	for (uint16_t i = 0; r == 0 && i < nr && cur_left(c) >= 2; i++) {
		int32_t cpu = (int16_t)cur_u16(c);

		r = add(list, cpu, cpu);
	}
	return r;
}

static int take_mask(struct cpu_ranges *list, struct cursor *c)
{
	uint16_t nr = cur_u16(c), bytes = cur_u16(c);
	int r = 0;

	if (bytes != 4 && bytes != 8)
		return -SONDE_CORRUPT;
	if (bytes == 8)
		cur_take(c, 4);  /* aligns the words within the struct */
	for (int32_t i = 0; i < nr && cur_left(c) >= bytes; i++) {
		uint64_t word = bytes == 8 ? cur_u64(c) : cur_u32(c);

		for (int32_t bit = 0; r == 0 && bit < bytes * 8; bit++)
			if (word >> bit & 1)
				r = add(list, i * bytes * 8 + bit, i * bytes * 8 + bit);
	}
	return r;
}

static int take_range(struct cpu_ranges *list, struct cursor *c)
{
	bool any = cur_u8(c);
	uint16_t first, last;

	cur_u8(c);
	first = cur_u16(c);
	last = cur_u16(c);
	if (any && add(list, -1, -1) < 0)
		return -SONDE_NOMEM;
	if (!cur_ok(c) || first > last)
		return -SONDE_CORRUPT;
	return vec_push(list, ((struct sonde_cpu_range){ first, last }));
}

int cpu_map_decode(struct cursor *c, struct arena *arena, const struct sonde_cpu_range **out, size_t *nr)
{
	struct cpu_ranges list = { 0 };
	int r;

	switch (cur_u16(c)) {
	case LISTED: r = take_list(&list, c); break;
	case MASK: r = take_mask(&list, c); break;
	case RANGE: r = take_range(&list, c); break;
	default: r = -SONDE_CORRUPT;
	}
	if (r == 0 && !cur_ok(c))
		r = -SONDE_CORRUPT;
	if (r == 0 && list.n) {
		*out = arena_memdup(arena, list.at, list.n * sizeof(*list.at));
		*nr = list.n;
		r = *out ? 0 : -SONDE_NOMEM;
	}
	vec_free(&list);
	return r;
}
