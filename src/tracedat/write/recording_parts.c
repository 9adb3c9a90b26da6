/* SPDX-License-Identifier: MIT */
#include "tracedat/write/recording_parts.h"

#include <stdlib.h>

#include "tracedat/format/ids.h"
#include "tracedat/format/option.h"

void dat_patch_u64(struct buf *b, size_t at, uint64_t v)
{
	if (!b->failed)
		store_u64(b->p + at, v, false);
}

size_t dat_put_head(struct buf *b, int version, uint32_t page_size)
{
	size_t at;

	dat_encode_header(b, (uint32_t)version, host_is_big_endian(), sizeof(long), page_size);
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
	dat_encode_section(b, false, id, 0, description, size);
	return b->n - 8;
}

static void end_section(struct buf *b, size_t size_at)
{
	dat_patch_u64(b, size_at, b->n - (size_at + 8));
}

static void put_option(struct buf *b, uint16_t id, const void *data, size_t n)
{
	dat_encode_option(b, false, id, data, (uint32_t)n);
}

static void put_option_strz(struct buf *b, uint16_t id, const char *text)
{
	put_option(b, id, text, strlen(text) + 1);
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

/* ---- version 7 ---- */

static const struct {
	uint16_t id;
	const char *name;
} section_names[] = {
	{ SECTION_HEADER_INFO, "headers" },
	{ SECTION_FTRACE_FORMATS, "ftrace events" },
	{ SECTION_EVENT_FORMATS, "events format" },
	{ SECTION_KALLSYMS, "kallsyms" },
	{ SECTION_PRINTK, "printk" },
	{ SECTION_MODULES, "modules" },
	{ SECTION_CMDLINES, "command lines" },
	{ SECTION_OPTIONS, "options" },
	{ SECTION_STRINGS, "strings" },
	{ SECTION_BUFFER, "buffer flyrecord" },
};

uint32_t dat_description(uint16_t id)
{
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(section_names) && section_names[i].id != id; i++)
		at += strlen(section_names[i].name) + 1;
	return (uint32_t)at;
}

static void put_strings(struct buf *b)
{
	size_t size_at = dat_put_section(b, SECTION_STRINGS, dat_description(SECTION_STRINGS), 0);

	for (size_t i = 0; i < ARRAY_SIZE(section_names); i++)
		put_strz(b, section_names[i].name);
	end_section(b, size_at);
}

static void put_metadata(struct buf *b, uint16_t id, const struct page_meta *meta)
{
	switch (id) {
	case SECTION_HEADER_INFO:
		dat_put_header_info(b, meta);
		break;
	case SECTION_FTRACE_FORMATS:
		dat_put_ftrace_formats(b, meta);
		break;
	case SECTION_EVENT_FORMATS:
		dat_put_event_formats(b, meta);
		break;
	case SECTION_KALLSYMS:
		dat_put_text32(b, meta->kallsyms);
		break;
	case SECTION_PRINTK:
		dat_put_text32(b, meta->printk);
		break;
	case SECTION_MODULES:
		dat_put_text32(b, meta->modules);
		break;
	default:
		dat_put_text64(b, meta->cmdlines);
		break;
	}
}

/* By enum page_note_id. */
static const uint16_t note_options[] = { DAT_OPTION_CPUSTAT, DAT_OPTION_LAST_BOOT_INFO };

void dat_put_common_options(struct buf *b, const struct page_meta *meta)
{
	put_option_strz(b, DAT_OPTION_TRACECLOCK, meta->trace_clock);
	put_option_strz(b, DAT_OPTION_UNAME, meta->uname);
	put_option_strz(b, DAT_OPTION_VERSION, meta->version);
	put_option(b, DAT_OPTION_TRACEID, &meta->trace_id, sizeof(meta->trace_id));
	for (size_t i = 0; i < meta->nr_notes; i++)
		put_option_strz(b, note_options[meta->notes[i].id], meta->notes[i].text);
}

/* Option BUFFER with room for that many entries, all of them empty. */
static void put_buffer_option(struct buf *b, const struct page_buffer *pb, uint32_t room, size_t *section,
			      size_t *table)
{
	put_u16(b, DAT_OPTION_BUFFER, false);
	put_u32(b, (uint32_t)(8 + strlen(pb->name) + 1 + strlen(pb->clock) + 1 + 8 + (size_t)room * ENTRY_BYTES),
		false);
	*section = b->n;
	put_u64(b, 0, false);
	put_strz(b, pb->name);
	put_strz(b, pb->clock);
	put_u32(b, pb->page_size, false);
	*table = b->n;
	put_u32(b, 0, false);
	buf_pad(b, 0, (size_t)room * ENTRY_BYTES);
}

static const uint16_t metadata_ids[DAT_NR_METADATA] = { SECTION_HEADER_INFO,   SECTION_FTRACE_FORMATS,
							SECTION_EVENT_FORMATS, SECTION_KALLSYMS,
							SECTION_PRINTK,        SECTION_MODULES,
							SECTION_CMDLINES };
#define CMDLINES_METADATA (DAT_NR_METADATA - 1)

static bool has_metadata(const struct page_meta *meta, size_t i)
{
	return metadata_ids[i] != SECTION_MODULES || meta->modules.len;
}

void dat_put_metadata(struct buf *b, const struct page_meta *meta, struct dat_places *out)
{
	out->head_at = dat_put_head(b, 7, meta->buffers[0].page_size);
	for (size_t i = 0; i < CMDLINES_METADATA; i++) {
		size_t size_at;

		if (!has_metadata(meta, i))
			continue;
		out->metadata_at[i] = b->n;
		size_at = dat_put_section(b, metadata_ids[i], dat_description(metadata_ids[i]), 0);
		put_metadata(b, metadata_ids[i], meta);
		end_section(b, size_at);
	}
}

void dat_put_tail(struct buf *b, uint64_t base, const struct page_meta *meta, uint32_t extents_per_cpu,
		  size_t names_room, struct dat_places *out)
{
	size_t size_at;

	out->metadata_at[CMDLINES_METADATA] = base + b->n;
	size_at = dat_put_section(b, SECTION_CMDLINES, dat_description(SECTION_CMDLINES), 0);
	out->names = b->n;
	put_metadata(b, SECTION_CMDLINES, meta);
	buf_pad(b, 0, names_room);
	end_section(b, size_at);
	put_strings(b);
	out->options_at = base + b->n;
	size_at = dat_put_section(b, SECTION_OPTIONS, dat_description(SECTION_OPTIONS), 0);
	for (size_t i = 0; i < DAT_NR_METADATA; i++)
		if (has_metadata(meta, i))
			put_option(b, metadata_ids[i], &out->metadata_at[i], sizeof(out->metadata_at[i]));
	dat_put_common_options(b, meta);
	if (names_room)
		put_option_strz(b, DAT_OPTION_CPUSTAT, DAT_UNFINISHED);
	put_option(b, DAT_OPTION_CPUCOUNT, &meta->nr_cpus, sizeof(meta->nr_cpus));
	for (size_t i = 0; i < meta->nr_buffers; i++)
		put_buffer_option(b, &meta->buffers[i], (uint32_t)meta->buffers[i].nr_cpus * extents_per_cpu,
				  &out->sections[i], &out->tables[i]);
	put_option(b, OPTION_DONE, &(uint64_t){ 0 }, sizeof(uint64_t));
	end_section(b, size_at);
}

int dat_places_init(struct dat_places *p, size_t nr_buffers, struct sonde_error *err)
{
	*p = (struct dat_places){ .sections = calloc(nr_buffers, sizeof(*p->sections)),
				    .tables = calloc(nr_buffers, sizeof(*p->tables)) };
	return p->sections && p->tables ? 0 : err_nomem(err);
}

void dat_places_free(struct dat_places *p)
{
	free(p->sections);
	free(p->tables);
}
