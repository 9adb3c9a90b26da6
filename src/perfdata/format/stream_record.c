/* SPDX-License-Identifier: MIT */
#include "perfdata/format/stream_record.h"

#include "base/put.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/record.h"

void stream_put_header(struct buf *b, uint32_t type, size_t size, bool swap)
{
	put_u32(b, type, swap);
	put_u16(b, 0, swap);
	put_u16(b, (uint16_t)size, swap);
}

bool stream_put_feature(struct buf *b, uint32_t id, const void *p, size_t n, bool swap)
{
	const struct feature *row = feature_find(id);
	size_t padded = ALIGN_UP(n, (size_t)8);

	if (id == SONDE_FEAT_TRACING_DATA && padded <= UINT32_MAX) {
		stream_put_header(b, RECORD_HEADER_TRACING_DATA, 16, swap);
		put_u32(b, (uint32_t)padded, swap);
		put_u32(b, 0, swap);
	} else if (row && row->pipe && 16 + padded <= RECORD_BYTES_MAX) {
		if (id == SONDE_FEAT_CPU_TOPOLOGY)  /* what its parts are is told by its length */
			padded = n;
		stream_put_header(b, RECORD_HEADER_FEATURE, 16 + padded, swap);
		put_u64(b, id, swap);
	} else {
		return false;
	}
	buf_put(b, p, n);
	buf_pad(b, 0, padded - n);
	return true;
}

void stream_put_event_name(struct buf *b, uint64_t id, const char *name, bool swap)
{
	size_t n = strlen(name), padded = ALIGN_UP(n + 1, (size_t)8);

	if (24 + padded > RECORD_BYTES_MAX)
		return;
	stream_put_header(b, RECORD_EVENT_UPDATE, 24 + padded, swap);
	put_u64(b, EVENT_UPDATE_NAME, swap);
	put_u64(b, id, swap);
	buf_put(b, name, n);
	buf_pad(b, 0, padded - n);
}
