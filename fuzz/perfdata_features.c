/* SPDX-License-Identifier: MIT */
/*
 * Header features. The first byte says the byte order; then, as in a pipe, features follow one another: u16 id, u16
 * size, payload. What was decoded is printed, written and decoded again.
 *
 * FUZZ_FEATURES, if it is defined, is the group of features that the ids are an index of (see meson.build), so that no
 * time goes into those of the other groups.
 */
#include <stdlib.h>

#include "perfdata/format/feature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any id, or one of the group. */
static uint32_t feature_of(uint32_t number)
{
#ifdef FUZZ_FEATURES
	static const uint32_t group[] = { FUZZ_FEATURES };

	return group[number % (sizeof(group) / sizeof(*group))];
#else
	return number;
#endif
}

static void use(const struct meta *meta, bool swap)
{
	struct buf text = BUF_MEMORY, payload = BUF_MEMORY;
	struct json j = json_new(&text);
	struct arena a = { 0 };
	struct meta again = { 0 };
	uint8_t *copy;

	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		if (!feature_has(meta, id))
			continue;
		feature_print(&text, id, true, meta);
		feature_json(&j, id, meta);
		payload.n = 0;
		if (feature_encode(&payload, id, !swap, meta) < 0)
			continue;
		copy = arena_memdup(&a, payload.p, payload.n);
		if (copy)
			feature_decode(id, copy, payload.n, 0, !swap, &again, &a, NULL);
	}
	buf_free(&text);
	buf_free(&payload);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct meta meta = { 0 };
	struct arena a = { 0 };
	struct cursor c;
	bool swap;

	if (size == 0)
		return 0;
	swap = data[0] & 1;
	c = cur_new(data + 1, size - 1, 0, false, NULL);
	while (cur_left(&c) >= 4) {
		uint32_t id = feature_of(cur_u16(&c));
		uint64_t n = cur_u16(&c);
		struct sonde_error err = { 0 };

		n = n < cur_left(&c) ? n : cur_left(&c);
		if (feature_decode(id, cur_take(&c, n), n, c.at - n, swap, &meta, &a, &err) < 0 && !*err.text)
			abort();
	}
	feature_finish(swap, &meta, &a, NULL);
	use(&meta, swap);
	arena_free(&a);
	return 0;
}
