/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/stream_mark.h"

#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"

/* A HEADER_FEATURE with SAMPLE_TIME: its header, the number of the feature, two times. */
enum { MARK_BYTES = RECORD_HEADER_BYTES + 8 + 16, TAIL_BYTES = 64 * 1024 };

bool stream_mark_note(struct stream_mark *m, uint32_t id, const struct meta *meta, uint64_t at)
{
	bool zeros;

	if (id != SONDE_FEAT_SAMPLE_TIME || !meta->version || strncmp(meta->version, "sonde", 5) != 0)
		return true;
	zeros = !meta->sample_time_first && !meta->sample_time_last;
	m->unfinished = zeros && !m->unfinished;
	m->began_at = at;
	return !zeros;
}

static bool is_mark(const uint8_t *p, bool swap)
{
	struct record_header h = record_header(p, swap);

	return h.type == RECORD_HEADER_FEATURE && h.size == MARK_BYTES &&
	       load_u64(p + RECORD_HEADER_BYTES, swap) == SONDE_FEAT_SAMPLE_TIME;
}

/* Compressed records end anywhere, and the record after them begins there. */
bool stream_mark_is_missing(const struct stream_mark *m, struct image *im, bool swap)
{
	uint64_t from = m->began_at + MARK_BYTES;
	const uint8_t *p;
	size_t n;

	if (!m->unfinished)
		return false;
	if (im->size > from && im->size - from > TAIL_BYTES)
		from = im->size - TAIL_BYTES;
	p = image_view_some(im, from, TAIL_BYTES, &n);
	for (size_t i = 0; p && i + MARK_BYTES <= n; i++)
		if (is_mark(p + i, swap))
			return false;
	return true;
}
