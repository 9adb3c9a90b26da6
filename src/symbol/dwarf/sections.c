/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/sections.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "symbol/dwarf/decompress.h"
#include "symbol/dwarf/relocate.h"

/* Parts of a section are read in blocks of this size. */
enum { BLOCK = 4096 };

static const char *const names[NR_DEBUG_SECTIONS] = {
	[DEBUG_INFO] = "info", [DEBUG_ABBREV] = "abbrev", [DEBUG_STR] = "str", [DEBUG_STR_OFFSETS] = "str_offsets",
	[DEBUG_LINE_STR] = "line_str", [DEBUG_ADDR] = "addr", [DEBUG_RANGES] = "ranges",
	[DEBUG_RNGLISTS] = "rnglists", [DEBUG_LINE] = "line",
	[DEBUG_CU_INDEX] = "cu_index", [DEBUG_ARANGES] = "aranges", [DEBUG_GDB_INDEX] = "gdb_index",
};

/* The name without ".debug_"; NULL: it is no such section. */
static const char *short_name(const char *name, bool *zdebug)
{
	*zdebug = strncmp(name, ".zdebug_", 8) == 0;
	if (!strcmp(name, ".gdb_index"))
		return name + 1;
	return *zdebug ? name + 8 : strncmp(name, ".debug_", 7) ? NULL : name + 7;
}

/* Tables that split files have no other ones of, under a name with a suffix. */
static bool is_of_whole_file(size_t section)
{
	return section == DEBUG_CU_INDEX || section == DEBUG_ARANGES || section == DEBUG_GDB_INDEX;
}

static void note_section(struct debug_sections *s, const char *name, const char *suffix, const GElf_Shdr *shdr,
			 size_t index)
{
	bool zdebug;

	name = short_name(name, &zdebug);
	if (!name || shdr->sh_type == SHT_NOBITS || !shdr->sh_size)
		return;
	for (size_t i = 0; i < NR_DEBUG_SECTIONS; i++) {
		struct debug_section_state *to = &s->sections[i];
		size_t n = strlen(names[i]);

		if (!to->size && !strncmp(name, names[i], n) && !strcmp(name + n, is_of_whole_file(i) ? "" : suffix))
			*to = (struct debug_section_state){ .offset = shdr->sh_offset, .size = shdr->sh_size,
							    .index = index, .zdebug = zdebug,
							    .chdr = shdr->sh_flags & SHF_COMPRESSED };
	}
}

void debug_sections_open(struct debug_sections *s, const struct elf_file *f, const char *suffix)
{
	GElf_Shdr shdr;
	const char *name;
	size_t strings;

	*s = (struct debug_sections){ .open = true, .elf = f };
	s->swap = elf_file_swaps(f);
	pthread_mutex_init(&s->lock, NULL);
	if (elf_getshdrstrndx(f->elf, &strings) < 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		name = gelf_getshdr(scn, &shdr) ? elf_strptr(f->elf, strings, shdr.sh_name) : NULL;
		if (name)
			note_section(s, name, suffix, &shdr, elf_ndxscn(scn));
	}
}

void debug_sections_close(struct debug_sections *s)
{
	for (size_t i = 0; i < NR_DEBUG_SECTIONS; i++)
		if (!s->sections[i].shared)
			free((void *)(uintptr_t)s->sections[i].bytes.p);
	for (size_t i = 0; i < NR_DEBUG_SECTIONS; i++)
		free(s->sections[i].here);
	if (s->open)
		pthread_mutex_destroy(&s->lock);
	*s = (struct debug_sections){ 0 };
}

/* The bytes as they lie in the file, with a NUL after them. */
static struct debug_bytes read_bytes(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	struct debug_bytes b = { 0 };
	const char *memory = NULL;
	struct stat st;
	size_t in_memory = 0;
	uint64_t left;
	uint8_t *p;
	ssize_t r;

	if (f->fd < 0)
		memory = elf_rawfile(f->elf, &in_memory);
	left = memory ? in_memory : f->fd >= 0 && fstat(f->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	if (offset > left || size > left - offset || size >= SIZE_MAX || !(p = malloc((size_t)size + 1)))
		return b;
	if (memory)
		memcpy(p, memory + offset, (size_t)size);
	while (b.n < size) {
		r = memory ? (ssize_t)size : pread(f->fd, p + b.n, (size_t)size - b.n, (off_t)(offset + b.n));
		if (r <= 0)
			break;  /* it became shorter */
		b.n += (size_t)r;
	}
	p[b.n] = 0;
	b.p = p;
	return b;
}

static void read_section(struct debug_sections *s, struct debug_section_state *from)
{
	struct compressed_layout layout = { .zdebug = from->zdebug, .swap = s->swap,
					    .wide = s->elf->ehdr.e_ident[EI_CLASS] == ELFCLASS64 };
	struct debug_bytes b = read_bytes(s->elf, from->offset, from->size), packed = b;

	if (b.p && (from->chdr || from->zdebug)) {
		b = (struct debug_bytes){ 0 };
		b.p = decompress_section(packed.p, packed.n, &layout, &b.n);
		free((void *)(uintptr_t)packed.p);
	}
	if (b.p)
		debug_relocate(s->elf, from->index, (uint8_t *)(uintptr_t)b.p, b.n);
	from->bytes = b;
}

/* Whether its bytes lie in the file as they are needed. */
static bool may_be_in_parts(const struct debug_sections *s, const struct debug_section_state *from)
{
	struct stat st;

	return !from->chdr && !from->zdebug && s->elf && s->elf->fd >= 0 && s->elf->ehdr.e_type != ET_REL &&
	       from->size >= BLOCK && fstat(s->elf->fd, &st) == 0 && from->offset <= (uint64_t)st.st_size &&
	       from->size <= (uint64_t)st.st_size - from->offset && from->size < SIZE_MAX;
}

/* Zeros need no memory until something is read into them. */
static bool make_place(struct debug_section_state *from)
{
	uint8_t *p = calloc(1, (size_t)from->size + 1);

	from->here = calloc(1, (size_t)from->size / BLOCK / 8 + 1);
	if (!p || !from->here) {
		free(p);
		free(from->here);
		from->here = NULL;
		return false;
	}
	from->bytes = (struct debug_bytes){ p, (size_t)from->size };
	return true;
}

static bool is_here(const struct debug_section_state *from, size_t block)
{
	return from->here[block / 8] >> (block % 8) & 1;
}

/* Reads the blocks from `first` up to `end` that are not there, neighbours at once. */
static bool read_blocks(const struct debug_sections *s, struct debug_section_state *from, size_t first, size_t end)
{
	for (size_t i = first, next; i < end; i = next) {
		uint8_t *to = (uint8_t *)(uintptr_t)from->bytes.p + i * BLOCK;
		size_t n;
		int bad;

		next = i + 1;
		if (is_here(from, i))
			continue;
		while (next < end && !is_here(from, next))
			next++;
		n = (next * BLOCK < from->bytes.n ? next * BLOCK : from->bytes.n) - i * BLOCK;
		if (fd_read_at(s->elf->fd, to, n, from->offset + i * BLOCK, &bad) < n)
			return false;        /* it became shorter */
		for (size_t k = i; k < next; k++)
			from->here[k / 8] |= (uint8_t)(1 << k % 8);
	}
	return true;
}

static void read_whole(struct debug_sections *s, struct debug_section_state *from)
{
	if (from->in_parts)
		read_blocks(s, from, 0, (from->bytes.n + BLOCK - 1) / BLOCK);
	else
		read_section(s, from);
}

struct debug_bytes debug_sections_get(struct debug_sections *s, enum debug_section which)
{
	struct debug_section_state *from = &s->sections[which];

	if (!from->size)
		return (struct debug_bytes){ 0 };
	if (!__atomic_load_n(&from->read, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&s->lock);
		if (!from->read)
			read_whole(s, from);
		__atomic_store_n(&from->read, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&s->lock);
	}
	return from->bytes;
}

struct debug_bytes debug_sections_place(struct debug_sections *s, enum debug_section which)
{
	struct debug_section_state *from = &s->sections[which];
	bool placed = __atomic_load_n(&from->in_parts, __ATOMIC_ACQUIRE) || !from->size;

	if (!placed && !__atomic_load_n(&from->read, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&s->lock);
		placed = from->in_parts || (!from->read && may_be_in_parts(s, from) && make_place(from));
		__atomic_store_n(&from->in_parts, placed, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&s->lock);
	}
	return placed ? from->bytes : debug_sections_get(s, which);
}

bool debug_sections_load(struct debug_sections *s, enum debug_section which, uint64_t offset, uint64_t size)
{
	struct debug_section_state *from = &s->sections[which];
	struct debug_bytes b = debug_sections_place(s, which);
	bool loaded;

	if (offset > b.n || size > b.n - offset)
		return false;
	if (!size || __atomic_load_n(&from->read, __ATOMIC_ACQUIRE))
		return true;
	pthread_mutex_lock(&s->lock);
	loaded = read_blocks(s, from, (size_t)offset / BLOCK, (size_t)(offset + size - 1) / BLOCK + 1);
	pthread_mutex_unlock(&s->lock);
	return loaded;
}

const char *debug_sections_string(struct debug_sections *s, enum debug_section which, uint64_t offset)
{
	struct debug_bytes b = debug_sections_place(s, which);
	uint64_t end;

	/* up to the end of the block in which it ends; a NUL follows the section */
	for (uint64_t at = offset; at < b.n; at = end) {
		end = at / BLOCK * BLOCK + BLOCK < b.n ? at / BLOCK * BLOCK + BLOCK : b.n;
		if (!debug_sections_load(s, which, at, end - at))
			return NULL;
		if (end == b.n || memchr(b.p + at, 0, (size_t)(end - at)))
			return (const char *)b.p + offset;
	}
	return NULL;
}

void debug_sections_detach(struct debug_sections *s)
{
	s->sections[DEBUG_LINE].size = s->sections[DEBUG_ARANGES].size = s->sections[DEBUG_GDB_INDEX].size = 0;
	for (int i = 0; i < NR_DEBUG_SECTIONS; i++)
		debug_sections_get(s, (enum debug_section)i);
	s->elf = NULL;
}

void debug_sections_begin(struct debug_sections *s, const struct debug_sections *like)
{
	*s = (struct debug_sections){ .open = true, .swap = like->swap };
	pthread_mutex_init(&s->lock, NULL);
}

static void add(struct debug_sections *s, enum debug_section which, struct debug_bytes b, bool shared)
{
	struct debug_section_state *to = &s->sections[which];

	if (to->size && !to->shared)
		free((void *)(uintptr_t)to->bytes.p);  /* a table may say it twice */
	*to = (struct debug_section_state){ .size = b.n, .read = true, .shared = shared, .bytes = b };
}

/* Some bytes of a section that was read. */
static struct debug_bytes copy_bytes(struct debug_bytes b, uint64_t offset, uint64_t size)
{
	uint8_t *p;

	if (offset > b.n || size > b.n - offset || !(p = malloc((size_t)size + 1)))
		return (struct debug_bytes){ 0 };
	if (size)
		memcpy(p, b.p + offset, (size_t)size);
	p[size] = 0;
	return (struct debug_bytes){ p, (size_t)size };
}

void debug_sections_add_part(struct debug_sections *s, enum debug_section which, struct debug_sections *from,
			     uint64_t offset, uint64_t size)
{
	const struct debug_section_state *of = &from->sections[which];

	if (of->chdr || of->zdebug)
		add(s, which, copy_bytes(debug_sections_get(from, which), offset, size), false);
	else if (offset <= of->size && size <= of->size - offset)
		add(s, which, read_bytes(from->elf, of->offset + offset, size), false);
}

void debug_sections_share(struct debug_sections *s, enum debug_section which, struct debug_sections *from)
{
	add(s, which, debug_sections_get(from, which), true);
}
