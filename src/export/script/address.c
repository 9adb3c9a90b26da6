/* SPDX-License-Identifier: MIT */
#include "export/script/address.h"

#include <stdlib.h>

#define SLOT_BITS 15
#define NR_SLOTS (1u << SLOT_BITS)  /* 8 MB, of which only used pages take memory */
#define SHORT_TEXT 64

void address_cache_init(struct address_cache *p, struct symbols *symbols)
{
	*p = (struct address_cache){ .symbols = symbols, .scratch = BUF_MEMORY };
}

void address_cache_free(struct address_cache *p)
{
	free(p->slots);
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
			(binary->kind <= BINARY_VDSO || binary->kind == BINARY_MODULE);

		buf_put(out, " (", 2);
		if (offset)
			/* which contains the offset, also in a module */
			buf_text(out, binary->name, strlen(binary->name));
		else
			put_binary(out, binary);
		if (offset) {
			buf_put(out, "+0x", 3);
			buf_hex(out, mapping_to_file(location->mapping, ip));
		}
		buf_char(out, ')');
	}
}

static void print(struct address_cache *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts)
{
	if (parts & ADDRESS_LINE)
		buf_char(out, '\t');
	if (parts & ADDRESS_IP)
		buf_hex_width(out, ip, 16);
	if (parts & (ADDRESS_SYM | ADDRESS_DSO)) {
		struct addr_location location = addr_location_find(p->symbols, root, ip);

		address_print_names(out, &location, ip, parts);
	}
	if (parts & ADDRESS_LINE)
		buf_char(out, '\n');
}

/* Code addresses differ in their low bits; a multiplication moves them to the bits that choose the slot. */
static size_t slot_of(maps_root root, uint64_t ip, uint32_t parts)
{
	return (ip ^ (uint64_t)(uintptr_t)root << 12 ^ parts) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS);
}

void address_cache_print(struct address_cache *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts)
{
	struct address_slot *slot;

	/* The slots count against a limit of memory, so they are allocated with the first address. NULL: no cache. */
	if (!p->slots)
		p->slots = calloc(NR_SLOTS, sizeof(*p->slots));
	if (!p->slots) {
		print(p, out, root, ip, parts);
		return;
	}
	slot = &p->slots[slot_of(root, ip, parts)];
	if (slot->root == root && slot->ip == ip && slot->parts == parts && out->cap - out->n >= ADDRESS_TEXT) {
		char *to = out->p + out->n;

		/* most texts are short, so a copy of fixed size is a few instructions */
		memcpy(to, slot->text, SHORT_TEXT);
		if (slot->len > SHORT_TEXT)
			memcpy(to + SHORT_TEXT, slot->text + SHORT_TEXT, slot->len - SHORT_TEXT);
		out->n += slot->len;
		return;
	}
	p->scratch.n = 0;
	print(p, &p->scratch, root, ip, parts);
	buf_put(out, p->scratch.p, p->scratch.n);
	buf_room(out, ADDRESS_TEXT);  /* room for the next known address */
	if (p->scratch.n > ADDRESS_TEXT || p->scratch.failed)
		return;
	memcpy(slot->text, p->scratch.p, p->scratch.n);
	slot->len = (uint32_t)p->scratch.n;
	slot->root = root;
	slot->ip = ip;
	slot->parts = parts;
}
