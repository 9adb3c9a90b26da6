/* SPDX-License-Identifier: MIT */
/*
 * section.c - the sections of a version 7 file
 *
 *	u16 id; u16 flags, bit 0: compressed; u32 description: offset in the strings, -1 none; u64 bytes that follow
 * Compressed ones begin with u32 bytes of the compressed block, u32 bytes of what is in it.
 */
#include "tracedat/format/encode.h"
#include "tracedat/read/tracedat.h"

int section_header(const struct tracedat *f, uint64_t at, struct dat_section *out)
{
	struct dat_section s = { .at = at };
	struct bytes b;
	struct cursor c;
	uint64_t left;

	if (bytes_read(f, at, SECTION_HEADER_BYTES, &b, NULL) < 0)
		return -SONDE_TRUNCATED;
	c = bytes_cursor(f, &b, NULL);
	s.id = cur_u16(&c);
	s.flags = cur_u16(&c);
	s.description = cur_u32(&c);
	s.size = cur_u64(&c);
	bytes_free(&b);
	if (!cur_ok(&c))
		return -SONDE_TRUNCATED;
	s.payload = c.at;
	left = f->input.size - s.payload;
	s.cut = s.size > left;
	if (s.cut)
		s.size = left;
	*out = s;
	return 0;
}

/* The block of a compressed section becomes what is in it. */
static int unpack(struct tracedat *f, const struct dat_section *s, struct bytes *b, struct sonde_error *err)
{
	struct cursor c = bytes_cursor(f, b, err);
	uint32_t packed = cur_u32(&c), size = cur_u32(&c);
	const uint8_t *p = cur_take(&c, packed);
	struct bytes out = { .at = s->at, .n = size, .packed = true };
	int r;

	if (!p)
		return -SONDE_TRUNCATED;
	if (!f->codec)
		return err_set(err, SONDE_UNSUPPORTED, s->at, "it is compressed, but the file does not say how in a way that is known");
	if (size > f->budget)
		return err_set(err, SONDE_CORRUPT, s->at, "it says that %u bytes are %u ones compressed", packed, size);
	f->budget -= size;
	out.p = out.owned = malloc(size ? size : 1);
	if (!out.owned)
		return err_nomem(err);
	r = piece_decompress(f, p, packed, out.owned, size, err);
	if (r < 0) {
		bytes_free(&out);
		return r;
	}
	bytes_free(b);
	*b = out;
	return 0;
}

int section_read(struct tracedat *f, const struct dat_section *s, struct bytes *out, struct sonde_error *err)
{
	int r = bytes_read(f, s->payload, s->size, out, err);

	if (r < 0 || !(s->flags & SECTION_COMPRESSED))
		return r;
	r = unpack(f, s, out, err);
	if (r < 0)
		bytes_free(out);
	return r;
}
