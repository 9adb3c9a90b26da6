/* SPDX-License-Identifier: MIT */
#include "tracedat/recording_blocks.h"

void dat_patch_u64(struct buf *b, size_t at, uint64_t v)
{
	if (!b->failed)
		store_u64(b->p + at, v, false);
}

size_t dat_put_head(struct buf *b, int version, uint32_t page_size)
{
	size_t at;

	encode_header(b, (uint32_t)version, host_is_big_endian(), sizeof(long), page_size);
	at = b->n;
	if (version == 6)
		return at;
	put_strz(b, "none");
	put_strz(b, "");
	at = b->n;
	put_u64(b, 0, false);
	return at;
}

size_t dat_put_section(struct buf *b, uint16_t id, uint32_t description, uint64_t size)
{
	encode_section(b, false, id, 0, description, size);
	return b->n - 8;
}

void dat_end_section(struct buf *b, size_t size_at)
{
	dat_patch_u64(b, size_at, b->n - (size_at + 8));
}

void dat_put_option(struct buf *b, uint16_t id, const void *data, size_t n)
{
	encode_option(b, false, id, data, (uint32_t)n);
}

void dat_put_option_strz(struct buf *b, uint16_t id, const char *text)
{
	dat_put_option(b, id, text, strlen(text) + 1);
}

static void put_format(struct buf *b, const struct page_format *f)
{
	dat_put_text64(b, f->text);
}

void dat_put_header_info(struct buf *b, const struct page_meta *meta)
{
	put_strz(b, "header_page");
	dat_put_text64(b, meta->header_page);
	put_strz(b, "header_event");
	dat_put_text64(b, meta->header_event);
}

static bool is_ftrace(const struct page_format *f)
{
	return !strcmp(f->system, "ftrace");
}

void dat_put_ftrace_formats(struct buf *b, const struct page_meta *meta)
{
	uint32_t n = 0;

	while (n < meta->nr_formats && is_ftrace(&meta->formats[n]))
		n++;
	put_u32(b, n, false);
	for (uint32_t i = 0; i < n; i++)
		put_format(b, &meta->formats[i]);
}

void dat_put_event_formats(struct buf *b, const struct page_meta *meta)
{
	const struct page_format *at = meta->formats, *end = at + meta->nr_formats;
	uint32_t nr_systems = 0;

	while (at < end && is_ftrace(at))
		at++;
	for (const struct page_format *f = at; f < end; f++)
		nr_systems += f == at || strcmp(f->system, f[-1].system) != 0;
	put_u32(b, nr_systems, false);
	while (at < end) {
		uint32_t n = 0;

		while (at + n < end && !strcmp(at[n].system, at->system))
			n++;
		put_strz(b, at->system);
		put_u32(b, n, false);
		for (uint32_t i = 0; i < n; i++)
			put_format(b, &at[i]);
		at += n;
	}
}

void dat_put_text32(struct buf *b, struct sonde_str text)
{
	put_u32(b, (uint32_t)text.len, false);
	buf_put(b, text.p, text.len);
}

void dat_put_text64(struct buf *b, struct sonde_str text)
{
	put_u64(b, text.len, false);
	buf_put(b, text.p, text.len);
}
