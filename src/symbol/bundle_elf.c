/* SPDX-License-Identifier: MIT */
#include "symbol/bundle_elf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/put.h"
#include "base/vec.h"

/* Version, number of parts, size of the file; then offset and size of each part; then their bytes. Little-endian. */
enum { VERSION = 1 };

/* Larger files are not taken. Pages of a decoded file that no part is in cost no memory. */
#define FILE_MAX ((uint64_t)2 << 30)

typedef VEC(struct elf_part) parts;

static bool is_wanted(const char *name, const GElf_Shdr *sh, bool debug)
{
	static const char *const unwind[] = { ".eh_frame", ".eh_frame_hdr", ".ARM.exidx", ".ARM.extab", ".sframe",
					      ".gnu_debugdata", ".gnu_debuglink" };

	if (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame") || !strcmp(name, ".shstrtab") ||
	    sh->sh_type == SHT_NOTE)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(unwind) && !debug; i++)
		if (!strcmp(name, unwind[i]))
			return true;
	return false;
}

static int by_start(const void *va, const void *vb)
{
	const struct elf_part *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Sorts, cuts at the end of the file, and joins what overlaps or nearly touches. */
static void tidy(parts *r, uint64_t size)
{
	enum { NEAR = 32 };
	size_t n = 0;

	if (!r->n)
		return;
	qsort(r->at, r->n, sizeof(*r->at), by_start);
	for (size_t i = 0; i < r->n; i++) {
		struct elf_part next = r->at[i];

		next.end = next.end < size ? next.end : size;
		if (next.start >= next.end)
			continue;
		if (n && next.start <= r->at[n - 1].end + NEAR)
			r->at[n - 1].end = next.end > r->at[n - 1].end ? next.end : r->at[n - 1].end;
		else
			r->at[n++] = next;
	}
	r->n = n;
}

static int add_part(parts *r, uint64_t start, uint64_t size)
{
	return vec_push(r, ((struct elf_part){ start, start + size }));
}

/* Marks the sections that are taken. True: one of them has something to unwind with. */
static bool choose_sections(parts *r, const struct elf_file *f, bool debug, uint8_t *taken, size_t nr)
{
	const char *name;
	GElf_Shdr sh;
	size_t names;
	bool any = false;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return false;
	for (size_t i = 0; i < nr; i++) {
		Elf_Scn *scn = elf_getscn(f->elf, i);

		name = scn && gelf_getshdr(scn, &sh) ? elf_strptr(f->elf, names, sh.sh_name) : NULL;
		if (!name || sh.sh_type == SHT_NOBITS || sh.sh_type == SHT_NULL || !is_wanted(name, &sh, debug))
			continue;
		taken[i] = 1;
		any = any || sh.sh_type != SHT_NOTE;
		if (add_part(r, sh.sh_offset, sh.sh_size) < 0)
			return false;
	}
	return any;
}

static bool add_headers(parts *r, const GElf_Ehdr *h)
{
	return add_part(r, 0, h->e_ehsize) == 0 &&
	       add_part(r, h->e_phoff, (uint64_t)h->e_phnum * h->e_phentsize) == 0 &&
	       add_part(r, h->e_shoff, (uint64_t)h->e_shnum * h->e_shentsize) == 0;
}

/* The headers of sections that were not taken say so. @p: the bytes of the part */
static void blank_sections(const struct elf_file *f, uint8_t *p, const struct elf_part *part, const uint8_t *taken,
			   size_t nr)
{
	const GElf_Ehdr *h = &f->ehdr;
	bool swap = elf_file_swaps(f);

	for (size_t i = 1; i < nr; i++) {
		uint64_t at = h->e_shoff + i * h->e_shentsize + 4;  /* sh_type, in both classes */

		if (!taken[i] && at >= part->start && at + 4 <= part->end &&
		    load_u32(p + (at - part->start), swap) != SHT_NULL)
			store_u32(p + (at - part->start), SHT_NOBITS, swap);
	}
}

static bool put_parts(struct buf *out, const struct elf_file *f, const parts *r, const uint8_t *taken,
		      size_t nr_sections)
{
	bool swap = host_is_big_endian();

	put_u32(out, VERSION, swap);
	put_u32(out, (uint32_t)r->n, swap);
	put_u64(out, f->size, swap);
	for (size_t i = 0; i < r->n; i++) {
		put_u64(out, r->at[i].start, swap);
		put_u64(out, r->at[i].end - r->at[i].start, swap);
	}
	for (size_t i = 0; i < r->n; i++) {
		size_t n = r->at[i].end - r->at[i].start;
		char *to = buf_room(out, n);

		if (!to || !elf_file_read(f, r->at[i].start, to, n))
			return false;
		blank_sections(f, (uint8_t *)to, &r->at[i], taken, nr_sections);
		out->n += n;
	}
	return !out->failed;
}

bool bundle_elf_encode(struct buf *out, const struct elf_file *f, bool debug, const struct elf_part *wanted, size_t n)
{
	uint8_t *taken = NULL;
	parts r = { 0 };
	size_t nr;
	bool good;

	if (f->offset || f->size > FILE_MAX || elf_getshdrnum(f->elf, &nr) < 0)
		return false;
	taken = calloc(nr + 1, 1);
	good = taken && (choose_sections(&r, f, debug, taken, nr) || n) && add_headers(&r, &f->ehdr) &&
	       vec_reserve(&r, n) == 0;
	if (good && n) {
		memcpy(r.at + r.n, wanted, n * sizeof(*wanted));
		r.n += n;
	}
	if (good) {
		tidy(&r, f->size);
		good = put_parts(out, f, &r, taken, nr);
	}
	free(taken);
	vec_free(&r);
	return good;
}

int bundle_elf_decode(struct elf_file *f, const uint8_t *p, size_t n)
{
	struct cursor c = cur_new(p, n, 0, host_is_big_endian(), NULL), table;
	uint32_t version = cur_u32(&c), nr = cur_u32(&c);
	uint64_t size = cur_u64(&c), done = 0;
	struct elf_part *list;
	uint8_t *file;
	int r = 0;

	table = cur_sub(&c, (uint64_t)nr * 16);
	if (!cur_ok(&c) || version != VERSION || !size || size > FILE_MAX)
		return -SONDE_CORRUPT;
	file = calloc(1, size);
	list = malloc(((size_t)nr + 1) * sizeof(*list));
	if (!file || !list)
		r = -SONDE_NOMEM;
	for (uint32_t i = 0; i < nr && r == 0; i++) {
		uint64_t at = cur_u64(&table), part = cur_u64(&table);
		const uint8_t *from = cur_take(&c, part);

		if (!from || at < done || at > size || part > size - at) {
			r = -SONDE_CORRUPT;
			break;
		}
		memcpy(file + at, from, part);
		done = at + part;
		list[i] = (struct elf_part){ at, done };
	}
	if (r == 0) {
		r = elf_file_open_memory(f, file, size, NULL);
		file = NULL;
	}
	if (r == 0) {
		f->parts = list;
		f->nr_parts = nr;
		return 0;
	}
	free(file);
	free(list);
	return r;
}
