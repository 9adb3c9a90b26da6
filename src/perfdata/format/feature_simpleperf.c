/* SPDX-License-Identifier: MIT */
/*
 * feature_simpleperf.c - what simpleperf (Android) puts into the recording: symbols (FILE, and FILE2, which newer ones
 * have instead), and names of events (META_INFO)
 *
 *	FILE	[]{ u32 size, entry }; an entry is: path NUL, u32 type, u64 min_vaddr, u32 nr,
 *		[nr]{ u64 vaddr, u32 len, name NUL },
 *		of a dex file u32 nr, [nr] u64 offset; of others, since 2018, u64 offset of min_vaddr
 *	FILE2	[]{ u32 size, entry }; an entry is a protobuf: path = 1, type = 2, min_vaddr = 3,
 *		symbol = 4 { vaddr = 1, len = 2, name = 3 }, dex_file = 5, elf_file = 6 { offset of min_vaddr = 1 },
 *		kernel_module = 7 { the same }
 *	META_INFO	[]{ key NUL, value NUL }; the value of event_type_info: []{ name ',' type ',' config '\n' }
 */
#include "perfdata/format/feature_simpleperf.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define SYMBOL_MIN 13                /* u64, u32 and the NUL of an empty name */
#define ENTRY_MIN 4

enum file_type { FILE_KERNEL, FILE_MODULE, FILE_ELF, FILE_DEX, FILE_MAP };

/* An entry while it is read. */
struct entry {
	struct meta_carried_symbols *out;
	uint32_t type;
	uint64_t min_vaddr, offset;
};

/* Addresses of an ELF file become offsets in it, and those of a module distances from its start. */
static void place_symbols(struct entry *e, struct sonde_carried_symbol *symbols)
{
	for (size_t i = 0; (e->type == FILE_ELF || e->type == FILE_MODULE) && i < e->out->nr_symbols; i++)
		symbols[i].start += e->offset - e->min_vaddr;
}

/* Entries in the payload, each a cursor of its own; the bytes that are left over are too short for one. */
static uint64_t count_entries(struct cursor c)
{
	uint64_t n = 0;

	c.err = NULL;
	for (; cur_left(&c) >= ENTRY_MIN && cur_ok(&c); n++)
		cur_take(&c, cur_u32(&c));
	return n;
}

static int decode_entry(struct cursor *c, struct arena *a, struct meta_carried_symbols *out)
{
	struct entry e = { .out = out };
	struct sonde_carried_symbol *symbols;

	out->filename = feat_copy(c, a, cur_strz(c));
	e.type = cur_u32(c);
	e.min_vaddr = cur_u64(c);
	out->nr_symbols = feat_count(c, cur_u32(c), SYMBOL_MIN);
	symbols = feat_array(c, a, out->nr_symbols, sizeof(*symbols));
	for (size_t i = 0; i < out->nr_symbols && cur_ok(c); i++) {
		symbols[i].start = cur_u64(c);
		symbols[i].size = cur_u32(c);
		symbols[i].name = feat_copy(c, a, cur_strz(c));
	}
	if (!cur_ok(c))
		return feat_status(c);
	if (e.type != FILE_DEX && cur_left(c) >= 8)
		e.offset = cur_u64(c);
	place_symbols(&e, symbols);
	out->symbols = symbols;
	return 0;
}

/* A field of a protobuf message: a number, or bytes. */
struct field {
	uint32_t number;
	uint64_t value;
	struct cursor bytes;         /* empty for a number */
};

static uint64_t take_varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = cur_u8(c);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static bool next_field(struct cursor *c, struct field *f)
{
	uint64_t key;

	if (cur_left(c) == 0 || !cur_ok(c))
		return false;
	key = take_varint(c);
	*f = (struct field){ .number = key >> 3 < UINT32_MAX ? (uint32_t)(key >> 3) : 0 };
	switch (key & 7) {
	case 0:
		f->value = take_varint(c);
		break;
	case 1:
		f->value = cur_u64(c);
		break;
	case 2:
		f->bytes = cur_sub(c, take_varint(c));
		break;
	case 5:
		f->value = cur_u32(c);
		break;
	default:
		if (cur_ok(c))
			err_set(c->err, SONDE_CORRUPT, c->at, "a protobuf field of wire type %u", (unsigned)(key & 7));
		c->failed = true;
	}
	return cur_ok(c);
}

static struct sonde_str text_of(const struct field *f)
{
	return (struct sonde_str){ (const char *)f->bytes.p, cur_left(&f->bytes) };
}

static void decode_symbol(struct cursor *outer, struct cursor c, struct arena *a, struct sonde_carried_symbol *out)
{
	struct field f;

	out->name = "";
	while (next_field(&c, &f)) {
		if (f.number == 1)
			out->start = f.value;
		else if (f.number == 2)
			out->size = (uint32_t)f.value;
		else if (f.number == 3)
			out->name = feat_copy(outer, a, text_of(&f));
	}
	outer->failed |= !cur_ok(&c);
}

static uint64_t first_number(struct cursor c)
{
	struct field f;

	while (next_field(&c, &f))
		if (f.number == 1)
			return f.value;
	return 0;
}

static int decode_entry2(struct cursor *c, struct arena *a, struct meta_carried_symbols *out)
{
	struct entry e = { .out = out };
	struct sonde_carried_symbol *symbols;
	struct cursor again = *c;
	size_t nr = 0;
	struct field f;

	for (struct cursor look = *c; next_field(&look, &f);)
		nr += f.number == 4;
	symbols = feat_array(c, a, nr, sizeof(*symbols));
	out->filename = "";
	while (cur_ok(c) && next_field(&again, &f)) {
		if (f.number == 1)
			out->filename = feat_copy(c, a, text_of(&f));
		else if (f.number == 2)
			e.type = (uint32_t)f.value;
		else if (f.number == 3)
			e.min_vaddr = f.value;
		else if (f.number == 4)
			decode_symbol(c, f.bytes, a, &symbols[out->nr_symbols++]);
		else if (f.number == 6 || f.number == 7)
			e.offset = first_number(f.bytes);
	}
	c->failed |= !cur_ok(&again);
	if (!cur_ok(c))
		return feat_status(c);
	place_symbols(&e, symbols);
	out->symbols = symbols;
	return 0;
}

/* Android is little-endian, and a conversion to the other byte order leaves these bytes as they are. */
static int decode_entries(struct cursor *c, struct meta *meta, struct arena *a,
			  int (*decode)(struct cursor *c, struct arena *a, struct meta_carried_symbols *out))
{
	struct meta_carried_symbols *list;
	uint64_t nr, n = 0;
	int r;

	c->swap = host_is_big_endian();
	nr = count_entries(*c);
	list = feat_array(c, a, nr, sizeof(*list));
	r = feat_status(c);
	for (; r == 0 && n < nr; n++) {
		struct cursor entry = cur_sub(c, cur_u32(c));

		r = cur_ok(c) ? decode(&entry, a, &list[n]) : feat_status(c);
	}
	if (r < 0)
		return r;
	meta->carried = list;
	meta->nr_carried = n;
	return 0;
}

int file_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	return decode_entries(c, meta, a, decode_entry);
}

int file2_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	return decode_entries(c, meta, a, decode_entry2);
}

/* A name can have commas. 0, also for a line that is none of these, or -SONDE_NOMEM. */
static int decode_event_type(struct sonde_str line, struct meta *meta, struct arena *a)
{
	char *text = arena_strndup(a, line.p, line.len), *config, *type;

	if (!text)
		return -SONDE_NOMEM;
	config = strrchr(text, ',');
	if (!config)
		return 0;
	*config++ = '\0';
	type = strrchr(text, ',');
	if (!type || type == text)
		return 0;
	*type++ = '\0';
	meta->event_types[meta->nr_event_types++] =
		(struct event_type){ text, (uint32_t)strtoul(type, NULL, 10), strtoull(config, NULL, 10) };
	return 0;
}

static int decode_event_types(struct cursor *c, struct sonde_str text, struct meta *meta, struct arena *a)
{
	size_t lines = 1;
	int r = 0;

	for (size_t i = 0; i < text.len; i++)
		lines += text.p[i] == '\n';
	meta->nr_event_types = 0;
	meta->event_types = feat_array(c, a, lines, sizeof(*meta->event_types));
	if (!meta->event_types)
		return feat_status(c);
	while (text.len && r == 0)
		r = decode_event_type(str_take(&text, '\n'), meta, a);
	return r;
}

int meta_info_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	while (cur_left(c) && cur_ok(c)) {
		struct sonde_str key = cur_strz(c), value = cur_strz(c);

		if (cur_ok(c) && str_is(key, "event_type_info"))
			return decode_event_types(c, value, meta, a);
	}
	return feat_status(c);
}
