/* SPDX-License-Identifier: MIT */
#include "symbol/elf/stapsdt.h"

#include <string.h>

#include "symbol/elf/cfi.h"
#include "symbol/elf/loads.h"

#define NOTE_TYPE 3
#define NOTE_OWNER "stapsdt"

static uint64_t take_address(struct cursor *c, bool wide)
{
	return wide ? cur_u64(c) : cur_u32(c);
}

/* The address of .stapsdt.base; 0: the file has none, and was not moved. */
static uint64_t base_of(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file_section(f, ".stapsdt.base", &shdr) ? shdr.sh_addr : 0;
}

/* False for a note that makes no sense, or whose place is not in the file. */
static bool read_probe(struct stapsdt_probe *p, struct cursor *c, bool wide, uint64_t base,
		       const struct elf_loads *loads)
{
	uint64_t linked;

	p->offset = take_address(c, wide);
	linked = take_address(c, wide);
	p->semaphore = take_address(c, wide);
	p->provider = cur_strz(c);
	p->name = cur_strz(c);
	p->args = cur_strz(c);
	if (!cur_ok(c) || p->provider.len == 0 || p->name.len == 0)
		return false;
	if (base && linked) {
		p->offset += base - linked;
		p->semaphore += p->semaphore ? base - linked : 0;
	}
	return elf_loads_offset(loads, &p->offset) && (!p->semaphore || elf_loads_offset(loads, &p->semaphore));
}

static struct cursor take_padded(struct cursor *c, uint32_t size)
{
	struct cursor part = cur_sub(c, size);

	cur_take(c, (4 - size % 4) % 4 < cur_left(c) ? (4 - size % 4) % 4 : cur_left(c));
	return part;
}

int stapsdt_each(const struct elf_file *f, int (*fn)(void *ctx, const struct stapsdt_probe *p), void *ctx)
{
	struct sonde_error err = { 0 };      /* a bad note ends the list */
	struct elf_loads loads = { 0 };
	uint64_t base = base_of(f);
	struct cfi_section s;
	struct cursor c;
	int r = 0;

	if (!cfi_section_open(&s, f, ".note.stapsdt"))
		return 0;
	elf_loads_read(&loads, f);
	c = cur_new(s.bytes, s.size, 0, s.swap, &err);
	while (r == 0 && cur_left(&c) > 0) {
		uint32_t name_size = cur_u32(&c), size = cur_u32(&c), type = cur_u32(&c);
		struct cursor owner = take_padded(&c, name_size), note = take_padded(&c, size);
		struct stapsdt_probe p;

		if (!cur_ok(&c))
			break;
		if (type == NOTE_TYPE && name_size == sizeof(NOTE_OWNER) &&
		    memcmp(owner.p, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 &&
		    read_probe(&p, &note, s.wide, base, &loads))
			r = fn(ctx, &p);
	}
	return r;
}
