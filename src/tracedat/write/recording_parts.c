/* SPDX-License-Identifier: MIT */
#include "tracedat/write/recording_parts.h"

#include <stdlib.h>

#include "tracedat/format/ids.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"

void dat_patch_u64(struct buf *b, size_t at, uint64_t v)
{
	if (!b->failed)
		store_u64(b->p + at, v, false);
}

static void end_section(struct buf *b, size_t size_at)
{
	dat_patch_u64(b, size_at, b->n - (size_at + 8));
}

static void put_option(struct buf *b, uint16_t id, const void *data, size_t n)
{
	dat_encode_option(b, false, id, data, (uint32_t)n);
}

void dat_put_metadata_part(struct buf *b, uint16_t id, const struct page_meta *meta)
{
	struct format_lists formats = { 0 };

	switch (id) {
	case SECTION_HEADER_INFO:
		dat_metadata_make_header_info(b, false, meta->header_page, meta->header_event, sizeof(long),
					      meta->buffers[0].page_size);
		break;
	case SECTION_FTRACE_FORMATS:
	case SECTION_EVENT_FORMATS:
		for (uint32_t i = 0; i < meta->nr_formats; i++)
			if (format_lists_add(&formats, meta->formats[i].system, meta->formats[i].text) < 0)
				b->failed = -SONDE_NOMEM;
		if (id == SECTION_FTRACE_FORMATS)
			format_lists_put(&formats, FTRACE_SYSTEM, false, b);
		else
			format_lists_put_systems(&formats, FTRACE_SYSTEM, false, b);
		format_lists_free(&formats);
		break;
	case SECTION_KALLSYMS:
		dat_metadata_put_text(b, id, false, meta->kallsyms);
		break;
	case SECTION_PRINTK:
		dat_metadata_put_text(b, id, false, meta->printk);
		break;
	case SECTION_MODULES:
		dat_metadata_put_text(b, id, false, meta->modules);
		break;
	default:
		dat_metadata_put_text(b, id, false, meta->cmdlines);
		break;
	}
}

/* The metadata of a recording, then its other sections: their descriptions are its strings. */
static const uint16_t section_ids[] = {
	SECTION_HEADER_INFO, SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS, SECTION_KALLSYMS, SECTION_PRINTK,
	SECTION_MODULES,     SECTION_CMDLINES,       SECTION_OPTIONS,       SECTION_STRINGS,  SECTION_BUFFER,
};

/* The string id of a section's description. */
static uint32_t description(uint16_t id)
{
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(section_ids) && section_ids[i] != id; i++)
		at += strlen(dat_section_title(section_ids[i])) + 1;
	return (uint32_t)at;
}

size_t dat_put_section(struct buf *b, uint16_t id, bool packed, uint64_t size)
{
	dat_encode_section(b, false, id, packed, description(id), size);
	return b->n - 8;
}

static void put_strings(struct buf *b)
{
	size_t size_at = dat_put_section(b, SECTION_STRINGS, false, 0);

	for (size_t i = 0; i < ARRAY_SIZE(section_ids); i++)
		put_strz(b, dat_section_title(section_ids[i]));
	end_section(b, size_at);
}

/* By enum page_note_id. */
static const uint16_t note_options[] = { DAT_OPTION_CPUSTAT, DAT_OPTION_LAST_BOOT_INFO };

static int add_option(struct dat_part *to, uint16_t id, const void *data, size_t n)
{
	return vec_push(&to->items, dat_item_new(id, data, n));
}

static int add_text(struct dat_part *to, uint16_t id, const char *text)
{
	return add_option(to, id, text, strlen(text) + 1);
}

static int add_tsc2nsec(const struct page_meta *meta, struct arena *arena, struct dat_part *to)
{
	const struct { uint32_t mult, shift; uint64_t offset; } data = { meta->tick_mult, meta->tick_shift, 0 };
	const void *kept = arena_memdup(arena, &data, sizeof(data));

	return kept ? add_option(to, DAT_OPTION_TSC2NSEC, kept, sizeof(data)) : -SONDE_NOMEM;
}

int dat_recording_options(const struct page_meta *meta, struct arena *arena, struct dat_part *to)
{
	int e = add_text(to, DAT_OPTION_TRACECLOCK, meta->trace_clock);

	e = e ? e : add_text(to, DAT_OPTION_UNAME, meta->uname);
	e = e ? e : add_text(to, DAT_OPTION_VERSION, meta->version);
	e = e ? e : add_option(to, DAT_OPTION_TRACEID, &meta->trace_id, sizeof(meta->trace_id));
	if (e == 0 && meta->tick_mult)
		e = add_tsc2nsec(meta, arena, to);
	for (size_t i = 0; i < meta->nr_notes && e == 0; i++)
		e = add_text(to, note_options[meta->notes[i].id], meta->notes[i].text);
	return e;
}

static void put_options(struct buf *b, const struct page_meta *meta)
{
	struct dat_part options = { .kind = DAT_PART_OPTIONS };
	struct arena arena = { 0 };

	if (dat_recording_options(meta, &arena, &options) < 0)
		b->failed = -SONDE_NOMEM;
	for (size_t i = 0; i < options.items.n; i++)
		put_option(b, options.items.at[i].id, options.items.at[i].data.p, options.items.at[i].data.len);
	vec_free(&options.items);
	arena_free(&arena);
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

#define CMDLINES_METADATA (DAT_NR_METADATA - 1)

static bool has_metadata(const struct page_meta *meta, size_t i)
{
	return section_ids[i] != SECTION_MODULES || meta->modules.len;
}

static void put_packed(struct buf *b, const struct buf *plain, struct packer *packer)
{
	size_t n;
	bool bad = plain->failed || plain->n > UINT32_MAX;
	const uint8_t *packed = bad ? NULL : packer_pack(packer, plain->p, plain->n, &n);

	if (!packed) {
		b->failed = b->failed ? b->failed : -SONDE_NOMEM;
		return;
	}
	put_u32(b, (uint32_t)n, false);
	put_u32(b, (uint32_t)plain->n, false);
	buf_put(b, packed, n);
}

static void put_metadata_section(struct buf *b, uint16_t id, const struct page_meta *meta, struct packer *packer)
{
	size_t size_at = dat_put_section(b, id, packer, 0);

	if (packer) {
		struct buf plain = BUF_MEMORY;

		dat_put_metadata_part(&plain, id, meta);
		put_packed(b, &plain, packer);
		buf_free(&plain);
	} else {
		dat_put_metadata_part(b, id, meta);
	}
	end_section(b, size_at);
}

void dat_put_metadata(struct buf *b, const struct page_meta *meta, struct packer *packer, struct dat_places *out)
{
	dat_encode_header(b, 7, host_is_big_endian(), sizeof(long), meta->buffers[0].page_size);
	put_strz(b, packer ? packer->codec->name : "none");
	put_strz(b, packer ? packer->codec->version() : "");
	out->head_at = b->n;
	put_u64(b, 0, false);
	for (size_t i = 0; i < CMDLINES_METADATA; i++)
		if (has_metadata(meta, i)) {
			out->metadata_at[i] = b->n;
			put_metadata_section(b, section_ids[i], meta, packer);
		}
}

/* The command lines of a file that grows: more of them come later. */
static void put_growing_names(struct buf *b, const struct page_meta *meta, size_t room, struct dat_places *out)
{
	size_t size_at = dat_put_section(b, SECTION_CMDLINES, false, 0);

	out->names = b->n;
	dat_put_metadata_part(b, SECTION_CMDLINES, meta);
	buf_pad(b, 0, room);
	end_section(b, size_at);
}

void dat_put_tail(struct buf *b, uint64_t base, const struct page_meta *meta, uint32_t extents_per_cpu,
		  size_t names_room, struct packer *packer, struct dat_places *out)
{
	size_t size_at;

	out->metadata_at[CMDLINES_METADATA] = base + b->n;
	if (names_room)
		put_growing_names(b, meta, names_room, out);
	else
		put_metadata_section(b, SECTION_CMDLINES, meta, packer);
	put_strings(b);
	out->options_at = base + b->n;
	size_at = dat_put_section(b, SECTION_OPTIONS, false, 0);
	for (size_t i = 0; i < DAT_NR_METADATA; i++)
		if (has_metadata(meta, i))
			put_option(b, section_ids[i], &out->metadata_at[i], sizeof(out->metadata_at[i]));
	put_options(b, meta);
	if (names_room)
		put_option(b, DAT_OPTION_CPUSTAT, DAT_UNFINISHED, sizeof(DAT_UNFINISHED));
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
