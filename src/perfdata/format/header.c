/* SPDX-License-Identifier: MIT */
#include "perfdata/format/header.h"

#include "base/put.h"

#define HEADER_BYTES_WITHOUT_FEATURES 72

/* attrs that "PERFFILE" recorders knew; their size tells the byte order, which the magic does not */
static const uint64_t v1_attr_sizes[] = { 64, 72, 80, 96, 104 };

bool header_probe(const uint8_t *p, size_t n)
{
	return n >= 8 &&
		(memcmp(p, "PERFILE2", 8) == 0 || memcmp(p, "2ELIFREP", 8) == 0 || memcmp(p, "PERFFILE", 8) == 0);
}

/* The byte order of a version 1 header: the one in which its sizes make sense. */
static bool v1_is_swapped(const uint8_t *p, size_t n)
{
	uint64_t attr_size;

	if (load_u64(p + 8, false) == PERFDATA_PIPE_HEADER_BYTES || load_u64(p + 8, true) == PERFDATA_PIPE_HEADER_BYTES)
		return load_u64(p + 8, true) == PERFDATA_PIPE_HEADER_BYTES;
	attr_size = n >= 24 ? load_u64(p + 16, true) : 0;
	for (size_t i = 0; i < ARRAY_SIZE(v1_attr_sizes); i++)
		if (attr_size == v1_attr_sizes[i] + sizeof(struct section))
			return true;
	return false;
}

/*
 * The bitmap is an array of the recorder's unsigned long. Little-endian ones look the same whatever their width; of a
 * big-endian recorder the width is tried: HOSTNAME is there whenever perf wrote the file.
 */
static void features_decode(struct cursor c, bool big, struct header *h)
{
	struct cursor words = c;

	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)
		h->features[i] = cur_u64(&c);
	if (!big || header_has(h, SONDE_FEAT_HOSTNAME))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++) {
		uint64_t low = cur_u32(&words);

		h->features[i] = low | (uint64_t)cur_u32(&words) << 32;
	}
	if (header_has(h, SONDE_FEAT_HOSTNAME))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)  /* neither: 64-bit recorders are the common ones */
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

static struct section section_decode(struct cursor *c)
{
	struct section s;

	s.offset = cur_u64(c);
	s.size = cur_u64(c);
	return s;
}

int header_decode(const uint8_t *p, size_t n, struct header *out, struct sonde_error *err)
{
	struct header h = { .version = 2 };
	struct cursor c;
	uint64_t size;

	if (!header_probe(p, n))
		return err_set(err, SONDE_FORMAT, 0, "not a perf.data: expected PERFILE2 at its beginning");
	if (n < PERFDATA_PIPE_HEADER_BYTES)
		return err_set(err, SONDE_TRUNCATED, 8, "the header has %zu bytes, expected 16 or more", n);
	if (memcmp(p, "PERFFILE", 8) == 0) {
		h.version = 1;
		h.swap = v1_is_swapped(p, n);
	} else {
		h.swap = (p[0] == '2') != host_is_big_endian();
	}
	c = cur_new(p, n, 0, h.swap, err);
	cur_take(&c, 8);
	size = cur_u64(&c);
	if (size == PERFDATA_PIPE_HEADER_BYTES) {
		h.pipe = true;
		*out = h;
		return 0;
	}
	if (size != PERFDATA_HEADER_BYTES && size != HEADER_BYTES_WITHOUT_FEATURES)
		return err_set(err, SONDE_CORRUPT, 8, "header size is %" PRIu64 ", expected 104 (file) or 16 (pipe)",
			       size);
	h.attr_size = cur_u64(&c);
	h.attrs = section_decode(&c);
	h.data = section_decode(&c);
	section_decode(&c);  /* event types: names of tracepoints, not written since EVENT_DESC exists */
	if (size == PERFDATA_HEADER_BYTES) {
		features_decode(c, host_is_big_endian() != h.swap, &h);
		cur_take(&c, sizeof(h.features));
	}
	if (!cur_ok(&c))
		return -SONDE_TRUNCATED;
	*out = h;
	return 0;
}

bool header_is_torn(const struct header *h)
{
	uint64_t attrs_end = h->attrs.offset + h->attrs.size;

	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)
		if (h->features[i])
			return false;
	return h->data.size && h->data.offset > attrs_end && h->data.offset - attrs_end >= 8;
}

void header_encode(struct buf *out, const struct header *h)
{
	const uint64_t words[] = {  /* the last section, of event types, is no longer used */
		h->attr_size, h->attrs.offset, h->attrs.size, h->data.offset, h->data.size, 0, 0,
	};

	if (h->version == 1)
		buf_put(out, "PERFFILE", 8);
	else
		put_u64(out, PERFDATA_MAGIC, h->swap);
	put_u64(out, h->pipe ? PERFDATA_PIPE_HEADER_BYTES : PERFDATA_HEADER_BYTES, h->swap);
	for (size_t i = 0; !h->pipe && i < ARRAY_SIZE(words); i++)
		put_u64(out, words[i], h->swap);
	for (size_t i = 0; !h->pipe && i < ARRAY_SIZE(h->features); i++)
		put_u64(out, h->features[i], h->swap);
}
