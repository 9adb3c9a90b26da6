/* SPDX-License-Identifier: MIT */
#include "perfdata/format/metadata_record.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/sample.h"

#define FEATURE_PAYLOAD_AT 16
#define TRACING_SIZE_AT 8
#define TRACING_INSIDE_AT 12

int attr_record_decode(const uint8_t *p, const struct record_header *h, uint64_t at, struct sonde_attr *attr,
		       uint64_t *bytes, struct cursor *ids)
{
	bool swap = ids->swap;
	uint32_t size = h->size >= RECORD_HEADER_BYTES + ATTR_SIZE_VER0 ? load_u32(p + 12, swap) : 0;

	*bytes = size ? size : ATTR_SIZE_VER0;
	*ids = cur_new(p + RECORD_HEADER_BYTES, h->size - (size_t)RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES, swap,
		       ids->err);
	return attr_decode(ids, *bytes, attr);
}

struct feature_record feature_record_decode(const uint8_t *p, const struct record_header *h, bool swap)
{
	struct feature_record r = { .id = SONDE_NONE };

	if (h->size < FEATURE_PAYLOAD_AT)
		return r;
	r.id = load_u64(p + RECORD_HEADER_BYTES, swap);
	r.payload = (struct section){ FEATURE_PAYLOAD_AT, h->size - (uint64_t)FEATURE_PAYLOAD_AT };
	return r;
}

struct feature_record tracing_record_decode(const uint8_t *p, const struct record_header *h, uint64_t payload,
					    bool swap)
{
	struct feature_record r = { .id = SONDE_FEAT_TRACING_DATA, .payload = { h->size, payload } };
	uint32_t inside = payload == 0 && h->size >= TRACING_INSIDE_AT ? load_u32(p + TRACING_SIZE_AT, swap) : 0;

	if (inside && inside <= h->size - (size_t)TRACING_INSIDE_AT)
		r.payload = (struct section){ TRACING_INSIDE_AT, inside };
	return r;
}
