/* SPDX-License-Identifier: MIT */
#include "export/script_place.h"

#include "base/err.h"
#include "base/hash.h"

#define NR_SLOTS 32768  /* a power of two; 8 MB, of which only what is used is touched */

int places_init(struct places *p, struct symbols *symbols)
{
	*p = (struct places){ .symbols = symbols, .scratch = BUF_MEMORY };
	p->slots = calloc(NR_SLOTS, sizeof(*p->slots));
	return p->slots ? 0 : -SONDE_NOMEM;
}

void places_free(struct places *p)
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
	for (; name < end; name++)
		buf_text(out, *name == '-' ? "_" : name, 1);
	buf_char(out, ']');
}

/* perf knows a module by its path if the file has its build id, else by its name. */
static void put_binary(struct buf *out, const struct binary *binary)
{
	if (binary && binary->kind == BINARY_MODULE && !binary->build_id_size)
		put_module(out, binary->name);
	else if (binary)
		buf_text(out, binary->name, strlen(binary->name));
	else
		buf_put(out, "[unknown]", 9);
}

void place_print_names(struct buf *out, const struct place *place, uint64_t ip, uint32_t parts)
{
	const struct binary *binary = place->mapping ? place->mapping->binary : NULL;

	if (parts & PLACE_SYM) {
		uint64_t offset;
		const char *symbol = place_symbol(place, ip, &offset), *shown = symbol ? symbol : "[unknown]";

		buf_char(out, ' ');
		buf_text(out, shown, strlen(shown));
		if (symbol && parts & PLACE_SYMOFF) {
			buf_put(out, "+0x", 3);
			buf_hex(out, offset);
		}
	}
	if (parts & PLACE_DSO) {
		buf_put(out, " (", 2);
		put_binary(out, binary);
		if (parts & PLACE_DSOFF && binary && binary->kind <= BINARY_VDSO) {
			buf_put(out, "+0x", 3);
			buf_hex(out, mapping_to_binary(place->mapping, ip));
		}
		buf_char(out, ')');
	}
}

static void print(struct places *p, struct buf *out, space_root root, uint64_t ip, uint32_t parts)
{
	if (parts & PLACE_LINE)
		buf_char(out, '\t');
	if (parts & PLACE_IP)
		buf_hex_width(out, ip, 16);
	if (parts & (PLACE_SYM | PLACE_DSO)) {
		struct place place = place_find(p->symbols, root, ip);

		place_print_names(out, &place, ip, parts);
	}
	if (parts & PLACE_LINE)
		buf_char(out, '\n');
}

void places_print(struct places *p, struct buf *out, space_root root, uint64_t ip, uint32_t parts)
{
	struct place_slot *slot = &p->slots[hash_two((uint64_t)(uintptr_t)root ^ parts, ip) & (NR_SLOTS - 1)];

	if (slot->root == root && slot->ip == ip && slot->parts == parts) {
		buf_put(out, slot->text, slot->len);
		return;
	}
	p->scratch.n = 0;
	print(p, &p->scratch, root, ip, parts);
	buf_put(out, p->scratch.p, p->scratch.n);
	if (p->scratch.n > PLACE_TEXT || p->scratch.failed)
		return;
	memcpy(slot->text, p->scratch.p, p->scratch.n);
	slot->len = (uint32_t)p->scratch.n;
	slot->root = root;
	slot->ip = ip;
	slot->parts = parts;
}
