/* SPDX-License-Identifier: MIT */
#include "tracedat/format/header.h"

static const uint8_t magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

bool dat_header_probe(const uint8_t *p, size_t n)
{
	return n >= sizeof(magic) && memcmp(p, magic, sizeof(magic)) == 0;
}

static int decode_version(struct cursor *c, uint32_t *out)
{
	uint64_t at = c->at;
	struct sonde_str text = cur_strz(c);

	if (!cur_ok(c))
		return -SONDE_TRUNCATED;
	*out = 0;
	for (size_t i = 0; i < text.len && *out < 1000; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return err_set(c->err, SONDE_UNSUPPORTED, at, "is tracing data of another form than trace.dat");
		*out = *out * 10 + (uint32_t)(text.p[i] - '0');
	}
	if (*out != 6 && *out != 7)
		return err_set(c->err, SONDE_UNSUPPORTED, at,
			       "is a trace.dat of version %u; versions 6 and 7 can be read", *out);
	return 0;
}

int dat_header_decode(const uint8_t *p, size_t n, struct dat_header *out, struct sonde_error *err)
{
	struct cursor c = cur_new(p, n, 0, false, err);
	struct dat_header h = { .compression = { "none", 4 }, .compression_version = { "", 0 } };
	uint8_t big_endian;
	int r;

	if (!dat_header_probe(p, n))
		return err_set(err, SONDE_FORMAT, 0, "is no trace.dat: the magic number is missing");
	cur_take(&c, sizeof(magic));
	r = decode_version(&c, &h.version);
	if (r < 0)
		return r;
	big_endian = cur_u8(&c);
	h.long_size = cur_u8(&c);
	if (cur_ok(&c) && big_endian > 1)
		return err_set(err, SONDE_CORRUPT, c.at - 2, "byte order is %u, expected 0 (little) or 1 (big)",
			       big_endian);
	if (cur_ok(&c) && h.long_size != 4 && h.long_size != 8)
		return err_set(err, SONDE_CORRUPT, c.at - 1, "size of long is %u, expected 4 or 8", h.long_size);
	h.big_endian = big_endian;
	h.swap = c.swap = h.big_endian != host_is_big_endian();
	h.page_size = cur_u32(&c);
	if (cur_ok(&c) && (h.page_size < PAGE_SIZE_MIN || h.page_size > PAGE_SIZE_MAX))
		return err_set(err, SONDE_CORRUPT, c.at - 4, "page size is %u", h.page_size);
	if (h.version == 7) {
		h.compression = cur_strz(&c);
		h.compression_version = cur_strz(&c);
		h.options = cur_u64(&c);
	}
	if (!cur_ok(&c))
		return -SONDE_TRUNCATED;
	h.end = c.at;
	*out = h;
	return 0;
}
