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
	struct format_lists lists;
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

	(void)at;
	return u->ids->bits[id / 8] >> id % 8 & 1 ? format_lists_add(&u->lists, system, text) : 0;
}

static int put_ftrace_formats(const struct dat_event_ids *ids, const uint8_t *p, size_t n, bool swap, struct buf *out)
{
	struct used_formats used = { .ids = ids };
	int r = dat_metadata_formats(p, n, SECTION_FTRACE_FORMATS, swap, take_format, &used);

	format_lists_put(&used.lists, FTRACE_SYSTEM, swap, out);
	format_lists_free(&used.lists);
	return r;
}

/* Missing blocks are empty; every trace.dat has the first one. */
static int put_metadata(struct dat_file *f, uint16_t id, const struct dat_event_ids *used, struct buf *out,
			struct sonde_error *err)
{
	const struct dat_part *part = dat_file_section(f, id);
	uint8_t *p = NULL;
	size_t n = 0;
	int r;

	if (!part) {
		buf_pad(out, 0, dat_metadata_size_bytes(id));
		return 0;
	}
	r = dat_part_load(f, part, &p, &n, err);
	if (r == 0 && id == SECTION_FTRACE_FORMATS)
		r = put_ftrace_formats(used, p, n, f->swap, out);
	else if (r == 0)
		buf_put(out, p, n);
	free(p);
	return r;
}

int dat_tracing_data_make(struct image *im, const struct dat_event_ids *used, struct buf *out, struct sonde_error *err)
{
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
	}
	for (uint16_t id = SECTION_HEADER_INFO; r == 0 && id <= SECTION_CMDLINES; id++)
		r = put_metadata(&f, id, used, out, err);
	dat_file_free(&f);
	return r < 0 ? r : out->failed;
}
