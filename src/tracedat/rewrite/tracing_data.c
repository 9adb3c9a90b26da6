/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/tracing_data.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/str.h"
#include "tracedat/format/metadata.h"
#include "tracedat/scan/layout.h"

static const char magic[] = "\x17\x08\x44tracing";

struct used_formats {
	const struct dat_event_ids *ids;
	struct buf texts;            /* each after its size, a u64 */
	uint32_t count;
	bool swap;
};

/* The number in an event format; 0, which no event has, if it has none. */
static uint16_t id_of(struct sonde_str format)
{
	struct sonde_str line = { 0 };
	uint32_t id = 0;
	bool found = false;

	while (format.len && !found) {
		line = str_take(&format, '\n');
		found = str_skip_prefix(&line, "ID: ");
	}
	for (size_t i = 0; found && i < line.len && line.p[i] >= '0' && line.p[i] <= '9' && id <= UINT16_MAX; i++)
		id = id * 10 + (uint32_t)(line.p[i] - '0');
	return id <= UINT16_MAX ? (uint16_t)id : 0;
}

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct used_formats *u = ctx;
	uint16_t id = id_of(text);

	(void)system;
	(void)at;
	if (u->ids->bits[id / 8] >> id % 8 & 1) {
		put_u64(&u->texts, text.len, u->swap);
		buf_put(&u->texts, text.p, text.len);
		u->count++;
	}
	return 0;
}

static int put_ftrace_formats(struct used_formats *u, const uint8_t *p, size_t n, struct buf *out)
{
	int r = dat_metadata_formats(p, n, SECTION_FTRACE_FORMATS, u->swap, take_format, u);

	put_u32(out, u->count, u->swap);
	buf_put(out, u->texts.p, u->texts.n);
	r = r < 0 ? r : u->texts.failed;
	buf_free(&u->texts);
	return r;
}

/* Missing blocks are empty; every trace.dat has the first one. */
static int put_metadata(struct dat_file *f, uint16_t id, struct used_formats *used, struct buf *out,
			struct sonde_error *err)
{
	const struct dat_part *part = dat_file_section(f, id);
	uint8_t *p = NULL;
	size_t n = 0;
	int r;

	if (!part) {
		buf_pad(out, 0, id == SECTION_CMDLINES ? 8 : 4);
		return 0;
	}
	r = dat_part_load(f, part, &p, &n, err);
	if (r == 0 && id == SECTION_FTRACE_FORMATS)
		r = put_ftrace_formats(used, p, n, out);
	else if (r == 0)
		buf_put(out, p, n);
	free(p);
	return r;
}

int dat_tracing_data_make(struct image *im, const struct dat_event_ids *used, struct buf *out, struct sonde_error *err)
{
	struct used_formats formats = { .ids = used, .texts = BUF_MEMORY };
	struct dat_file f;
	int r;

	dat_file_init(&f, im);
	r = dat_layout_read(&f, im, NULL, DAT_DEEP, err);
	if (r == 0) {
		buf_put(out, magic, sizeof(magic) - 1);
		buf_put(out, "0.6", 4);
		buf_char(out, f.header.big_endian);
		buf_char(out, (char)f.header.long_size);
		put_u32(out, f.header.page_size, f.swap);
		formats.swap = f.swap;
	}
	for (uint16_t id = SECTION_HEADER_INFO; r == 0 && id <= SECTION_CMDLINES; id++)
		r = put_metadata(&f, id, &formats, out, err);
	dat_file_free(&f);
	return r < 0 ? r : out->failed;
}

int dat_tracing_data_head(const uint8_t *p, size_t n, struct tracing_data_head *out)
{
	size_t at = sizeof(magic) - 1, version;

	if (n < at || memcmp(p, magic, at) != 0)
		return -SONDE_CORRUPT;
	version = strnlen((const char *)p + at, n - at);
	at += version + 1;
	if (n < at || n - at < 6 || p[at] > 1 || (p[at + 1] != 4 && p[at + 1] != 8))
		return -SONDE_CORRUPT;
	out->big_endian = p[at];
	out->long_size = p[at + 1];
	out->page_size = load_u32(p + at + 2, out->big_endian != host_is_big_endian());
	out->bytes = at + 6;
	return 0;
}

/* Two names, each followed by a u64 with the size of its text, and the text. */
static int read_header_info(const uint8_t *p, size_t n, bool swap, const struct tracing_data_ops *ops, void *ctx)
{
	struct cursor c = cur_new(p, n, 0, swap, NULL);
	int r = 0;

	for (int which = SONDE_DAT_HEADER_PAGE; r == 0 && which <= SONDE_DAT_HEADER_EVENT; which++) {
		const uint8_t *text;
		uint64_t size;

		cur_strz(&c);
		size = cur_u64(&c);
		text = cur_take(&c, size);
		if (text && size)
			r = ops->text(ctx, (enum sonde_dat_text)which, (const char *)text, (size_t)size);
	}
	return r;
}

struct formats_call {
	const struct tracing_data_ops *ops;
	void *ctx;
};

static int pass_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct formats_call *call = ctx;

	(void)at;
	return call->ops->format(call->ctx, system, text.p, text.len);
}

/* A text after its size. */
static int read_text(const uint8_t *p, size_t n, size_t size_bytes, enum sonde_dat_text which,
		     const struct tracing_data_ops *ops, void *ctx)
{
	return n > size_bytes ? ops->text(ctx, which, (const char *)p + size_bytes, n - size_bytes) : 0;
}

int dat_tracing_data_read(const uint8_t *p, size_t n, const struct tracing_data_head *head,
			  const struct tracing_data_ops *ops, void *ctx)
{
	struct formats_call call = { ops, ctx };
	bool swap = head->big_endian != host_is_big_endian(), whole = true;
	uint64_t at = head->bytes, size;
	struct image im;
	int r = 0;

	image_memory(&im, p, n);
	for (uint16_t id = SECTION_HEADER_INFO; whole && r >= 0 && id <= SECTION_CMDLINES; id++, at += size) {
		whole = dat_metadata_measure(&im, at, id, swap, &size);
		switch (id) {
		case SECTION_HEADER_INFO:
			r = read_header_info(p + at, (size_t)size, swap, ops, ctx);
			break;
		case SECTION_FTRACE_FORMATS:
		case SECTION_EVENT_FORMATS:
			r = dat_metadata_formats(p + at, (size_t)size, id, swap, pass_format, &call);
			break;
		case SECTION_KALLSYMS:
			r = read_text(p + at, (size_t)size, 4, SONDE_DAT_KALLSYMS, ops, ctx);
			break;
		case SECTION_PRINTK:
			r = read_text(p + at, (size_t)size, 4, SONDE_DAT_PRINTK, ops, ctx);
			break;
		case SECTION_CMDLINES:
			r = read_text(p + at, (size_t)size, 8, SONDE_DAT_CMDLINES, ops, ctx);
			break;
		}
	}
	return r < 0 ? r : 0;
}
