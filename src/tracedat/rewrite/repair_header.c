/* SPDX-License-Identifier: MIT */
/* repair_header.c - the header of a trace.dat from the bytes after it */
#include "tracedat/format/encode.h"
#include "tracedat/format/option.h"
#include "tracedat/rewrite/repair_header.h"

#define HEAD_BYTES 128               /* the first section, or the metadata of version 6, begins within these */
#define OLD_HEADER_BYTES 18

/* Whether a section header is at @p; the image shows whether a section can follow it. */
static bool is_section(const uint8_t *p, bool swap, uint16_t id)
{
	return load_u16(p, swap) == id && load_u16(p + 2, swap) <= SECTION_FLAG_COMPRESSED &&
		load_u64(p + 8, swap) >= 4 && load_u64(p + 8, swap) < 1u << 24;
}

/* The offset of HEADER_INFO, and its byte order; false: not found. */
static bool find_start(const uint8_t *p, size_t n, size_t *at, bool *swap, uint32_t *version)
{
	const uint8_t *text = n ? memmem(p, n, "header_page", sizeof("header_page")) : NULL;

	for (int order = 0; order < 2; order++)
		for (*at = 10; *at + SECTION_HEADER_BYTES + 4 <= n && *at < HEAD_BYTES; ++*at) {
			const uint8_t *payload = p + *at + SECTION_HEADER_BYTES;

			*swap = order;
			*version = 7;
			if (!is_section(p + *at, *swap, SECTION_HEADER_INFO))
				continue;
			if (payload == text || load_u16(p + *at + 2, *swap) == SECTION_FLAG_COMPRESSED)
				return true;
		}
	if (!text || (size_t)(text - p) > HEAD_BYTES || n - (size_t)(text - p) < 20)
		return false;
	*at = (size_t)(text - p);
	*version = 6;
	*swap = load_u64(text + 12, false) > 65536;
	return true;
}

bool dat_repair_looks_like_trace(const uint8_t *p, size_t n)
{
	uint32_t version;
	bool swap;
	size_t at;

	return dat_header_probe(p, n) || find_start(p, n, &at, &swap, &version);
}

const char *dat_repair_find_compression(struct dat_file *f, uint64_t at)
{
	for (int i = 0; i < 16; i++) {
		const uint8_t *p = image_view(f->image, at, SECTION_HEADER_BYTES + 12);

		if (!p)
			break;
		if (load_u16(p + 2, f->header.swap) & SECTION_FLAG_COMPRESSED) {
			p += SECTION_HEADER_BYTES + 8;
			return memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0 ? "zstd" : *p == 0x78 ? "zlib" : "none";
		}
		if (load_u64(p + 8, f->header.swap) > f->image->size)
			break;
		at += SECTION_HEADER_BYTES + load_u64(p + 8, f->header.swap);
	}
	return "none";
}

int dat_repair_find_header(struct dat_file *f, struct sonde_error *err)
{
	size_t n, at;
	const uint8_t *p = image_view_some(f->image, 0, 4096, &n);
	struct dat_header *h = &f->header;
	const char *name;
	uint32_t page;

	if (!p || !find_start(p, n, &at, &h->swap, &h->version))
		return err_set(err, SONDE_FORMAT, 0,
			       "is not a trace.dat: neither its header nor the bytes after it are known");
	h->big_endian = host_is_big_endian() != h->swap;
	h->end = at;
	h->long_size = at > 13 && (p[13] == 4 || p[13] == 8) ? p[13] : 8;
	page = n >= OLD_HEADER_BYTES ? load_u32(p + 14, h->swap) : 0;
	h->page_size = page >= PAGE_SIZE_MIN && page <= PAGE_SIZE_MAX && (page & (page - 1)) == 0 ? page : 4096;
	h->options = h->version == 7 && at >= 8 ? load_u64(p + at - 8, h->swap) : 0;
	name = h->version == 7 ? dat_repair_find_compression(f, at) : "none";
	h->compression = (struct sonde_str){ name, strlen(name) };
	h->compression_version = (struct sonde_str){ "", 0 };
	f->codec = strcmp(name, "none") == 0 ? NULL : codec_find(name);
	f->layout = dat_page_layout_default(h->big_endian, h->long_size);
	return 0;
}
