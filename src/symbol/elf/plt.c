/* SPDX-License-Identifier: MIT */
/*
 * The procedure linkage table has no symbols of its own. What an entry jumps through is a slot that a relocation
 * fills, and the relocation names the function.
 */

#include "symbol/elf/plt.h"

#include <string.h>

#include "base/bytes.h"
#include "base/u64map.h"

struct reloc {
	uint64_t slot, addend;
	uint32_t symbol;             /* of .dynsym; 0: the function that the resolver at `addend` chooses */
};

struct plt {
	struct symtab_builder *b;
	const struct elf_file *f;
	VEC(struct reloc) relocs;    /* those of .rela.plt first, in its order */
	size_t nr_jumps;             /* how many those are */
	struct u64map by_slot;
	Elf_Data *symbols;
	size_t nr_symbols, names_size;
	uint32_t names;              /* where .dynstr lies in the names of the builder, SYMTAB_NONE: not yet */
	VEC(struct symtab_raw) entries; /* .name is the number of a relocation, until all are known */
};

static bool is_machine_x86(const struct plt *p)
{
	return p->f->ehdr.e_machine == EM_X86_64;
}

static bool is_irelative(const struct plt *p, uint32_t type)
{
	switch (p->f->ehdr.e_machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == R_AARCH64_IRELATIVE;
	}
	return false;
}

static bool add_reloc(struct plt *p, uint64_t slot, uint64_t info, uint64_t addend)
{
	struct reloc r = { .slot = slot, .addend = addend, .symbol = (uint32_t)GELF_R_SYM(info) };

	if (!r.symbol && !is_irelative(p, (uint32_t)GELF_R_TYPE(info)))
		r.addend = 0;
	if (!r.symbol && !r.addend && is_machine_x86(p))
		return true;  /* names nothing: most of .rela.dyn */
	if (vec_push(&p->relocs, r) < 0 || p->relocs.n >= INT32_MAX)
		return false;
	return !is_machine_x86(p) || u64map_set(&p->by_slot, slot, (uint32_t)p->relocs.n - 1) == 0;
}

static bool read_relocs(struct plt *p, const char *rela, const char *rel)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_file_section(p->f, rela, &sh);
	bool has_addend = scn;
	Elf_Data *data;
	size_t n;

	scn = scn ? scn : elf_file_section(p->f, rel, &sh);
	data = scn && sh.sh_type == (has_addend ? SHT_RELA : SHT_REL) ? elf_getdata(scn, NULL) : NULL;
	if (!data || !data->d_buf)
		return true;
	n = data->d_size / gelf_fsize(p->f->elf, has_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela a;
		GElf_Rel r;

		if (has_addend ? !gelf_getrela(data, (int)i, &a) : !gelf_getrel(data, (int)i, &r))
			break;
		if (!(has_addend ? add_reloc(p, a.r_offset, a.r_info, (uint64_t)a.r_addend) :
				   add_reloc(p, r.r_offset, r.r_info, 0)))
			return false;
	}
	return true;
}

static bool read_names(struct plt *p)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_file_section_of_type(p->f, SHT_DYNSYM, &sh);
	Elf_Scn *names_scn = scn ? elf_getscn(p->f->elf, sh.sh_link) : NULL;
	Elf_Data *names = names_scn ? elf_getdata(names_scn, NULL) : NULL;
	char *copy;

	p->symbols = scn ? elf_getdata(scn, NULL) : NULL;
	if (!p->symbols || !p->symbols->d_buf || !names || !names->d_buf)
		return true;  /* a static program: only what its own resolvers choose */
	if (p->names == SYMTAB_NONE) {
		copy = symtab_builder_strings(p->b, names->d_size + 1, &p->names);
		if (!copy)
			return false;
		memcpy(copy, names->d_buf, names->d_size);
	}
	p->names_size = names->d_size;
	p->nr_symbols = p->symbols->d_size / gelf_fsize(p->f->elf, ELF_T_SYM, 1, EV_CURRENT);
	return true;
}

static bool add_entry(struct plt *p, uint64_t offset, uint64_t size, size_t reloc)
{
	struct symtab_raw raw = {
		.start = offset, .size = (uint32_t)size, .name = (uint32_t)reloc, .binding = SYMTAB_GLOBAL,
	};

	return vec_push(&p->entries, raw) == 0;
}

/* x86-64: an entry has one "jmp *disp(%rip)", perhaps after an endbr64 or a bnd prefix; disp leads to the slot. */
static bool read_x86(struct plt *p, const char *name)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_file_section(p->f, name, &sh);
	Elf_Data *data = scn && sh.sh_type == SHT_PROGBITS ? elf_rawdata(scn, NULL) : NULL;
	uint64_t entry_size = scn && sh.sh_entsize == 8 ? 8 : 16;

	if (!data || !data->d_buf)
		return true;
	for (uint64_t at = 0; at + entry_size <= data->d_size; at += entry_size) {
		const uint8_t *code = (const uint8_t *)data->d_buf + at;
		uint32_t reloc = U64MAP_NONE;

		for (uint64_t i = 0; i + 6 <= entry_size && reloc == U64MAP_NONE; i++) {
			if (code[i] == 0xff && code[i + 1] == 0x25) {
				int64_t disp = (int32_t)load_u32(code + i + 2, host_is_big_endian());

				reloc = u64map_get(&p->by_slot, sh.sh_addr + at + i + 6 + (uint64_t)disp);
			}
		}
		if (reloc != U64MAP_NONE && !add_entry(p, sh.sh_offset + at, entry_size, reloc))
			return false;
	}
	return true;
}

/* Elsewhere entries come in the order of the relocations, after a header. */
static bool read_in_order(struct plt *p)
{
	static const struct { uint16_t machine; uint8_t header, entry;
	} sizes[] = {
		{ EM_386, 16, 16 },  { EM_AARCH64, 32, 16 },   { EM_ARM, 20, 12 },  { EM_RISCV, 32, 16 },
		{ EM_S390, 32, 32 }, { EM_LOONGARCH, 32, 16 }, { EM_MIPS, 32, 16 }, { EM_68K, 20, 20 },
	};
	GElf_Shdr sh;
	Elf_Scn *scn = elf_file_section(p->f, ".plt", &sh);
	uint64_t header, entry;

	for (size_t i = 0; scn && sh.sh_type == SHT_PROGBITS && i < ARRAY_SIZE(sizes); i++) {
		if (sizes[i].machine != p->f->ehdr.e_machine)
			continue;
		entry = sizes[i].entry;
		header = sh.sh_size == p->nr_jumps * entry ? 0 : sizes[i].header;  /* none in static programs */
		for (size_t k = 0; k < p->nr_jumps && header + (k + 1) * entry <= sh.sh_size; k++)
			if (!add_entry(p, sh.sh_offset + header + k * entry, entry, k))
				return false;
	}
	return true;
}

/* Where in the file the resolver of a relocation lies. */
static uint64_t file_offset(const struct plt *p, uint64_t value)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(p->f->elf, &n) < 0)
		return value;
	for (size_t i = 0; i < n && i < 64; i++)
		if (gelf_getphdr(p->f->elf, (int)i, &ph) && ph.p_type == PT_LOAD && value - ph.p_vaddr < ph.p_memsz)
			return value - ph.p_vaddr + ph.p_offset;
	return value;
}

/*
 * Names the entries that belong to a resolver after the symbol that lies where it lies, in one pass over the symbols.
 */
static bool name_resolved(struct plt *p)
{
	struct u64map wanted = { 0 };
	VEC(uint32_t) best = { 0 };
	bool good = true;

	for (size_t i = 0; good && i < p->entries.n; i++) {
		const struct reloc *r = &p->relocs.at[p->entries.at[i].name];

		if (!r->symbol && r->addend)
			good = vec_push(&best, UINT32_MAX) == 0 &&
			       u64map_set(&wanted, file_offset(p, r->addend), (uint32_t)best.n - 1) == 0;
	}
	for (size_t i = 0; good && best.n && i < p->b->raw.n; i++) {
		uint32_t w = u64map_get(&wanted, p->b->raw.at[i].start);

		if (w != U64MAP_NONE && (best.at[w] == UINT32_MAX ||
					 symtab_is_better(p->b, &p->b->raw.at[i], &p->b->raw.at[best.at[w]])))
			best.at[w] = (uint32_t)i;
	}
	for (size_t i = 0; good && i < p->entries.n; i++) {
		struct symtab_raw *e = &p->entries.at[i];
		const struct reloc *r = &p->relocs.at[e->name];
		uint32_t w = U64MAP_NONE;
		GElf_Sym sym;

		if (!r->symbol)
			w = r->addend ? u64map_get(&wanted, file_offset(p, r->addend)) : U64MAP_NONE;
		if (w != U64MAP_NONE && best.at[w] != UINT32_MAX)
			e->name = p->b->raw.at[best.at[w]].name | SYMTAB_PLT;
		else if (r->symbol && r->symbol < p->nr_symbols && gelf_getsym(p->symbols, (int)r->symbol, &sym) &&
			 sym.st_name < p->names_size)
			e->name = (p->names + sym.st_name) | SYMTAB_PLT;
		else
			e->size = 0;
	}
	vec_free(&best);
	u64map_free(&wanted);
	return good;
}

/*
 * The whole of .plt, whose entries nest in it: what is left is the header that they share, and with CET their lazy
 * halves.
 */
static void add_header(struct plt *p)
{
	struct symtab_raw raw = { .binding = SYMTAB_LOCAL };
	GElf_Shdr sh;

	if (!elf_file_section(p->f, ".plt", &sh) || sh.sh_type != SHT_PROGBITS || sh.sh_size > UINT32_MAX)
		return;
	raw.start = sh.sh_offset;
	raw.size = (uint32_t)sh.sh_size;
	raw.name = symtab_builder_name(p->b, ".plt", 4);
	symtab_builder_add(p->b, &raw);
}

void elf_add_plt(struct symtab_builder *b, const struct elf_file *f, uint32_t names)
{
	struct plt p = { .b = b, .f = f, .names = names };
	GElf_Shdr sh;
	bool good;

	good = read_relocs(&p, ".rela.plt", ".rel.plt");
	p.nr_jumps = p.relocs.n;
	if (good && is_machine_x86(&p) && elf_file_section(f, ".plt.got", &sh))
		good = read_relocs(&p, ".rela.dyn", ".rel.dyn");
	if (good && is_machine_x86(&p))
		good = read_names(&p) && read_x86(&p, ".plt") &&
		       read_x86(&p, ".plt.sec") && read_x86(&p, ".plt.got");
	else if (good)
		good = read_names(&p) && read_in_order(&p);
	good = good && name_resolved(&p);
	if (good && p.entries.n)
		add_header(&p);
	for (size_t i = 0; good && i < p.entries.n; i++)
		if (p.entries.at[i].size)
			symtab_builder_add(b, &p.entries.at[i]);
	b->failed |= !good;
	vec_free(&p.relocs);
	vec_free(&p.entries);
	u64map_free(&p.by_slot);
}
