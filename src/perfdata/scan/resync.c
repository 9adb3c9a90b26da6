/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/resync.h"
#include "perfdata/format/compressed.h"

struct record_header record_header_at(const uint8_t *p, uint64_t n, bool swap)
{
	struct record_header h = record_header(p, swap);

	if (h.type == RECORD_COMPRESSED2 && n >= 16)
		h.size = compressed2_size(p, h.size, swap);
	return h;
}

bool record_is_sound(struct evlist *evlist, bool swap, const uint8_t *p, const struct record_header *h)
{
	struct findings f = { 0 };

	if (!record_may_begin(h) || !record_type_find(h->type))
		return false;
	record_check(evlist, p, h, swap, 0, &f);
	return finds_nothing_wrong(&f);
}

bool records_begin(struct evlist *evlist, bool swap, const uint8_t *p, uint64_t n, int at_end)
{
	int length;

	for (length = 0; length < RESYNC_RECORDS && n >= RECORD_HEADER_BYTES; length++) {
		struct record_header h = record_header_at(p, n, swap);
		uint64_t bytes;

		if (h.size > n || !record_is_sound(evlist, swap, p, &h))
			return false;
		bytes = record_payload(p, &h, swap);
		if (bytes > n - h.size)
			return length > 0;  /* its payload is the proof that cannot be looked at */
		p += h.size + bytes;
		n -= h.size + bytes;
	}
	return length == RESYNC_RECORDS || (length >= at_end && n == 0);
}
