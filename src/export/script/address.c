/* SPDX-License-Identifier: MIT */
#include "export/script/address.h"

#include <stdlib.h>

#define FIRST_BITS 8
#define SLOT_BITS 15                /* at most: 768 kB of slots */
#define TEXTS_BYTES (4u << 20)      /* at most; then all texts are forgotten */
#define SHORT_TEXT 64

void address_cache_init(struct address_cache *p)
{
	*p = (struct address_cache){ .texts = BUF_MEMORY, .scratch = BUF_MEMORY };
}

/* For the note about code without names. */
static void tell_interrupted(struct address_cache *p)
{
	if (p->locator.symbols && p->nr_interrupted)
		symbols_count_interrupted(p->locator.symbols, p->nr_interrupted);
	p->nr_interrupted = 0;
}

void address_cache_use(struct address_cache *p, struct symbols *symbols, struct source_lines *lines,
		       const struct tracefmt *kernel)
{
	if (symbols != p->locator.symbols)
		tell_interrupted(p);
	p->locator.symbols = symbols;
	p->locator.kernel = kernel;
	p->lines = lines;
	p->names.no_demangle = !symbols_demangle(symbols);
}

void address_cache_free(struct address_cache *p)
{
	tell_interrupted(p);
	free(p->slots);
	locator_free(&p->locator);
	source_names_free(&p->names);
	buf_free(&p->texts);
	buf_free(&p->scratch);
}

/* A module by its name, as the kernel shows it: "[nf_nat]" of ".../nf-nat.ko.xz". */
static void put_module(struct buf *out, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ".ko");

	if (*name == '[' || !end) {
		buf_text(out, path, strlen(path));
		return;
	}
	buf_char(out, '[');
	for (const char *dash; (dash = memchr(name, '-', (size_t)(end - name))); name = dash + 1) {
		buf_text(out, name, (size_t)(dash - name));
		buf_char(out, '_');
	}
	buf_text(out, name, (size_t)(end - name));
	buf_char(out, ']');
}

/* perf names a module by its path if the file has the recorded build id, else by its name. */
static void put_binary(struct buf *out, const struct binary *binary)
{
	if (binary && binary->kind == BINARY_MODULE && !binary->build_id_size)
		put_module(out, binary->name);
	else if (binary)
		buf_text(out, binary->name, strlen(binary->name));
	else
		buf_put(out, "[unknown]", 9);
}

void address_print_names(struct buf *out, const struct addr_location *location, uint64_t ip, uint32_t parts)
{
	const struct binary *binary = location->mapping ? location->mapping->binary : NULL;

	if (parts & ADDRESS_SYM) {
		uint64_t offset;
		const char *symbol = addr_location_symbol(location, ip, &offset),
			   *shown = symbol ? symbol : "[unknown]";

		buf_char(out, ' ');
		buf_text(out, shown, strlen(shown));
		if (symbol && parts & ADDRESS_SYMOFF) {
			buf_put(out, "+0x", 3);
			buf_hex(out, offset);
		}
	}
	if (parts & ADDRESS_DSO) {
		bool offset = parts & ADDRESS_DSOFF && binary &&
			(binary->kind <= BINARY_JITDUMP || binary->kind == BINARY_MODULE);

		buf_put(out, " (", 2);
		if (offset)
			/* which contains the offset, also in a module */
			buf_text(out, binary->name, strlen(binary->name));
		else if (location->kernel_name)
			buf_str(out, addr_location_module(location));
		else
			put_binary(out, binary);
		if (offset) {
			buf_put(out, "+0x", 3);
			buf_hex(out, mapping_to_file(location->mapping, ip));
		}
		buf_char(out, ')');
	}
}

/* "file.c:12"; where no line is known the place in the binary: "program[113a]" */
static void put_srcline(struct buf *out, const struct addr_location *location, uint64_t ip,
			const struct source_frame *frame, bool full_path)
{
	const struct binary *binary = location->mapping ? location->mapping->binary : NULL;
	const char *file = frame && frame->file ? frame->file : binary ? binary->name : "[unknown]",
		   *slash = full_path && frame && frame->file ? NULL : strrchr(file, '/');

	buf_put(out, "\n  ", 3);
	file = slash ? slash + 1 : file;
	buf_text(out, file, strlen(file));
	if (frame && frame->file)
		buf_printf(out, ":%u", frame->line);
	else
		buf_printf(out, "[%llx]",
			   (unsigned long long)(binary ? mapping_to_file(location->mapping, ip) : ip));
}

static void begin_line(struct buf *out, uint64_t ip, uint32_t parts)
{
	if (parts & ADDRESS_LINE)
		buf_char(out, '\t');
	if (parts & ADDRESS_IP)
		buf_hex_width(out, ip, 16);
}

/* As perf, an inlined function has the offset from the function around it. */
static void put_inlined(struct address_cache *p, struct buf *out, const struct addr_location *location, uint64_t ip,
			const struct source_frame *frame, uint32_t parts)
{
	const char *name = source_names_get(&p->names, frame->function);
	uint64_t offset;

	begin_line(out, ip, parts);
	if (parts & ADDRESS_SYM) {
		buf_char(out, ' ');
		buf_text(out, name ? name : "??", strlen(name ? name : "??"));
		addr_location_symbol(location, ip, &offset);
		if (parts & ADDRESS_SYMOFF) {
			buf_put(out, "+0x", 3);
			buf_hex(out, offset);
		}
	}
	if (parts & ADDRESS_SRCLINE)
		put_srcline(out, location, ip, frame, parts & ADDRESS_FULL_PATH);
	buf_str(out, " (inlined)\n");
}

/* With inlined functions, the last frame is where the outermost function called the next one. */
static void put_place(struct address_cache *p, struct buf *out, const struct addr_location *location, uint64_t ip,
		      uint32_t parts)
{
	const struct source_frame *frames = NULL;
	size_t nr = parts & (ADDRESS_INLINED | ADDRESS_SRCLINE) ? addr_location_source(location, p->lines, &frames) : 0,
	       at = 0;

	if (parts & ADDRESS_INLINED && location->symbol != SYMTAB_NONE)
		for (; at + 1 < nr; at++)
			put_inlined(p, out, location, ip, &frames[at], parts);
	begin_line(out, ip, parts);
	address_print_names(out, location, ip, parts);
	if (parts & ADDRESS_SRCLINE)
		put_srcline(out, location, ip, at < nr ? &frames[at] : NULL, parts & ADDRESS_FULL_PATH);
}

static bool print(struct address_cache *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts)
{
	bool is_handler_entry = false;

	p->is_kept = true;
	if (parts & (ADDRESS_SYM | ADDRESS_DSO | ADDRESS_INLINED | ADDRESS_SRCLINE)) {
		uint8_t mode = parts & ADDRESS_KERNEL ? CPUMODE_KERNEL : CPUMODE_UNKNOWN;
		struct addr_location location = locator_find(&p->locator, root, mode, ip, parts & ADDRESS_CALLER);

		put_place(p, out, &location, ip, parts);
		p->is_kept = !addr_location_is_unnamed_code(&location);
		if (!p->is_kept && !(parts & ADDRESS_CALLER))
			symbols_count_unnamed(p->locator.symbols, location.mapping->binary);
		is_handler_entry = addr_location_is_handler_entry(&location);
	} else {
		begin_line(out, ip, parts);
	}
	if (parts & ADDRESS_LINE)
		buf_char(out, '\n');
	return is_handler_entry;
}

/*
 * The first slot of an address. Code addresses differ in their low bits; a multiplication moves them to the bits that
 * choose the slot.
 */
static struct address_slot *slot_of(const struct address_cache *p, maps_root root, uint64_t ip, uint32_t parts)
{
	uint64_t hash = (ip ^ (uint64_t)(uintptr_t)root << 12 ^ parts) * UINT64_C(0x9e3779b97f4a7c15);

	return &p->slots[hash >> (64 - p->slot_bits)];
}

/* The other slot of an address; both are often in one line of the CPU's cache. */
static struct address_slot *slot_beside(const struct address_cache *p, const struct address_slot *slot)
{
	return &p->slots[(size_t)(slot - p->slots) ^ 1];
}

static bool is_slot_of(const struct address_slot *slot, maps_root root, uint64_t ip, uint32_t parts)
{
	return slot->ip == ip && slot->root == root && slot->parts == parts;
}

/* The address that came last is in its first slot, the one that was there before goes to the second. */
static void fill_slot(struct address_cache *p, const struct address_slot *from)
{
	struct address_slot *slot = slot_of(p, from->root, from->ip, from->parts), *beside = slot_beside(p, slot);

	if (slot->parts && !is_slot_of(slot, from->root, from->ip, from->parts)) {
		p->nr_used += !beside->parts;
		*beside = *slot;
	} else {
		p->nr_used += !slot->parts;
	}
	*slot = *from;
}

/*
 * Doubles the slots. The table begins small: a page that is read before it is written costs two faults, which took
 * half the time of a script of a thousand samples.
 */
static bool more_slots(struct address_cache *p)
{
	struct address_slot *old = p->slots;
	size_t nr_old = old ? (size_t)1 << p->slot_bits : 0;
	unsigned bits = old ? p->slot_bits + 1 : FIRST_BITS;
	struct address_slot *slots = calloc((size_t)1 << bits, sizeof(*slots));

	if (!slots)
		return false;
	p->slots = slots;
	p->slot_bits = bits;
	p->nr_used = 0;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].parts)
			fill_slot(p, &old[i]);
	free(old);
	return true;
}

/* Keeps the text in scratch for the next time. */
static void keep(struct address_cache *p, maps_root root, uint64_t ip, uint32_t parts, bool is_handler_entry)
{
	uint32_t len = (uint32_t)p->scratch.n;

	if (len > ADDRESS_TEXT || p->scratch.failed)
		return;
	if (p->texts.n + ADDRESS_TEXT > TEXTS_BYTES) {
		memset(p->slots, 0, sizeof(*p->slots) << p->slot_bits);
		p->texts.n = p->nr_used = 0;
	}
	if (p->nr_used >> (p->slot_bits - 1) && p->slot_bits < SLOT_BITS)
		more_slots(p);
	/* a short text is copied with what follows it */
	if (!buf_room(&p->texts, len + SHORT_TEXT))
		return;
	fill_slot(p, &(struct address_slot){ .root = root, .ip = ip, .text = (uint32_t)p->texts.n, .len = len & 0x7fff,
					     .is_handler_entry = is_handler_entry, .parts = (uint16_t)parts });
	buf_put(&p->texts, p->scratch.p, len);
}

bool address_cache_print(struct address_cache *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts)
{
	/* the kernels of two trace.dat have no roots to tell them apart */
	maps_root key = parts & ADDRESS_KERNEL ? (maps_root)(const void *)p->locator.kernel : root;
	const struct address_slot *slot;
	bool is_handler_entry;

	p->nr_interrupted += !(parts & ADDRESS_CALLER);
	/* The slots count against a limit of memory, so they are allocated with the first address. NULL: no cache. */
	if (!p->slots && !more_slots(p))
		return print(p, out, root, ip, parts);
	slot = slot_of(p, key, ip, parts);
	if (!is_slot_of(slot, key, ip, parts))
		slot = slot_beside(p, slot);
	if (is_slot_of(slot, key, ip, parts) && out->cap - out->n >= slot->len + (size_t)SHORT_TEXT) {
		const char *text = p->texts.p + slot->text;
		char *to = out->p + out->n;

		/* most texts are short, so a copy of fixed size is a few instructions */
		memcpy(to, text, SHORT_TEXT);
		if (slot->len > SHORT_TEXT)
			memcpy(to + SHORT_TEXT, text + SHORT_TEXT, slot->len - SHORT_TEXT);
		out->n += slot->len;
		return slot->is_handler_entry;
	}
	p->scratch.n = 0;
	is_handler_entry = print(p, &p->scratch, root, ip, parts);
	buf_put(out, p->scratch.p, p->scratch.n);
	buf_room(out, ADDRESS_TEXT);  /* room for the next known address */
	if (p->is_kept)
		keep(p, key, ip, parts, is_handler_entry);
	return is_handler_entry;
}
