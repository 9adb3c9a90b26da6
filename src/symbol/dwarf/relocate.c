/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/relocate.h"

#include "symbol/elf/module_layout.h"

/* R_RISCV_SET_ULEB128 is not in every <elf.h>. */
enum { RISCV_SET_ULEB = 60, RISCV_SUB_ULEB = 61 };

enum how { SET, ADD, SUBTRACT };

/* The bits that a type of relocation changes. */
struct relocation_rule {
	uint16_t machine, type;
	uint8_t how;
	uint8_t bits;                /* 6, 8, 16, 32, 64; 0: the number is a ULEB128 */
};

static const struct relocation_rule rules[] = {
	{ EM_X86_64, R_X86_64_64, SET, 64 }, { EM_X86_64, R_X86_64_32, SET, 32 }, { EM_X86_64, R_X86_64_32S, SET, 32 },
	{ EM_386, R_386_32, SET, 32 },
	{ EM_AARCH64, R_AARCH64_ABS64, SET, 64 }, { EM_AARCH64, R_AARCH64_ABS32, SET, 32 },
	{ EM_ARM, R_ARM_ABS32, SET, 32 },
	{ EM_S390, R_390_64, SET, 64 }, { EM_S390, R_390_32, SET, 32 },
	{ EM_PPC64, R_PPC64_ADDR64, SET, 64 }, { EM_PPC64, R_PPC64_ADDR32, SET, 32 },
	{ EM_RISCV, R_RISCV_64, SET, 64 }, { EM_RISCV, R_RISCV_32, SET, 32 },
	{ EM_RISCV, R_RISCV_ADD8, ADD, 8 }, { EM_RISCV, R_RISCV_ADD16, ADD, 16 },
	{ EM_RISCV, R_RISCV_ADD32, ADD, 32 }, { EM_RISCV, R_RISCV_ADD64, ADD, 64 },
	{ EM_RISCV, R_RISCV_SUB6, SUBTRACT, 6 }, { EM_RISCV, R_RISCV_SUB8, SUBTRACT, 8 },
	{ EM_RISCV, R_RISCV_SUB16, SUBTRACT, 16 }, { EM_RISCV, R_RISCV_SUB32, SUBTRACT, 32 },
	{ EM_RISCV, R_RISCV_SUB64, SUBTRACT, 64 }, { EM_RISCV, R_RISCV_SET6, SET, 6 },
	{ EM_RISCV, R_RISCV_SET8, SET, 8 }, { EM_RISCV, R_RISCV_SET16, SET, 16 }, { EM_RISCV, R_RISCV_SET32, SET, 32 },
	{ EM_RISCV, RISCV_SET_ULEB, SET, 0 }, { EM_RISCV, RISCV_SUB_ULEB, SUBTRACT, 0 },
};

static const struct relocation_rule *rule_of(uint16_t machine, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].machine == machine && rules[i].type == type)
			return &rules[i];
	return NULL;
}

static uint64_t combine(const struct relocation_rule *r, uint64_t old, uint64_t value)
{
	return r->how == SET ? value : r->how == ADD ? old + value : old - value;
}

/* A ULEB128 keeps its length, which the assembler has chosen. */
static void change_uleb(const struct relocation_rule *r, uint8_t *p, size_t n, uint64_t value)
{
	uint64_t old = 0;
	size_t size = 0;

	while (size < n && size < 10 && p[size] & 0x80)
		size++;
	if (size == n || size == 10)
		return;
	for (size_t i = size + 1; i-- > 0;)
		old = old << 7 | (p[i] & 0x7f);
	value = combine(r, old, value);
	for (size_t i = 0; i <= size; i++, value >>= 7)
		p[i] = (uint8_t)((value & 0x7f) | (i < size ? 0x80 : 0));
}

static void change(const struct relocation_rule *r, uint8_t *p, size_t n, uint64_t value, bool swap)
{
	size_t size = r->bits / 8;

	if (!r->bits) {
		change_uleb(r, p, n, value);
		return;
	}
	if (n < size || !n)
		return;
	switch (r->bits) {
	case 6:
		*p = (uint8_t)((*p & 0xc0) | (combine(r, *p & 0x3f, value) & 0x3f));
		break;
	case 8:
		*p = (uint8_t)combine(r, *p, value);
		break;
	case 16:
		store_u16(p, (uint16_t)combine(r, load_u16(p, swap), value), swap);
		break;
	case 32:
		store_u32(p, (uint32_t)combine(r, load_u32(p, swap), value), swap);
		break;
	default:
		store_u64(p, combine(r, load_u64(p, swap), value), swap);
	}
}

/* The relocations of a section, with their symbols and the addresses of the sections. */
struct relocating {
	const struct elf_file *f;
	Elf_Data *relocations, *symbols, *indexes;  /* indexes: of sections, where there are too many; or NULL */
	bool has_addends;
	struct module_layout layout;
	bool swap;
};

static uint64_t symbol_value(const struct relocating *r, size_t symbol)
{
	GElf_Sym sym;
	Elf32_Word index;
	uint64_t at;

	if (symbol > INT32_MAX || !gelf_getsymshndx(r->symbols, r->indexes, (int)symbol, &sym, &index))
		return MODULE_NOT_CODE;
	if (sym.st_shndx == SHN_ABS)
		return sym.st_value;
	if (sym.st_shndx != SHN_XINDEX)
		index = sym.st_shndx;
	at = index && index < r->layout.n ? r->layout.at[index] : MODULE_NOT_CODE;
	return sym.st_value + (at == UINT64_MAX ? 0 : at);
}

static bool relocation_at(const struct relocating *r, int i, GElf_Rela *to)
{
	GElf_Rel rel;

	if (r->has_addends)
		return gelf_getrela(r->relocations, i, to);
	if (!gelf_getrel(r->relocations, i, &rel))
		return false;
	*to = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

/* Where a relocation has no addend, the number that stands there is one. */
static uint64_t addend_of(const struct relocating *r, const struct relocation_rule *rule, const GElf_Rela *rela,
			  const uint8_t *p, size_t n)
{
	if (r->has_addends)
		return (uint64_t)rela->r_addend;
	return rule->bits == 32 && n >= 4 ? load_u32(p, r->swap) : 0;
}

static void apply(const struct relocating *r, uint8_t *bytes, size_t n)
{
	const struct relocation_rule *rule;
	GElf_Rela rela;

	for (int i = 0; relocation_at(r, i, &rela); i++) {
		rule = rule_of(r->f->ehdr.e_machine, GELF_R_TYPE(rela.r_info));
		if (rule && rela.r_offset < n)
			change(rule, bytes + rela.r_offset, n - rela.r_offset,
			       symbol_value(r, GELF_R_SYM(rela.r_info)) +
				       addend_of(r, rule, &rela, bytes + rela.r_offset, n - rela.r_offset), r->swap);
	}
}

/* The first table for the section: compilers make one only. */
static Elf_Scn *find_relocations(const struct elf_file *f, size_t section, GElf_Shdr *sh)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));)
		if (gelf_getshdr(s, sh) && sh->sh_info == section &&
		    (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL))
			return s;
	return NULL;
}

static Elf_Data *find_indexes(const struct elf_file *f, size_t symbols)
{
	GElf_Shdr sh;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));)
		if (gelf_getshdr(s, &sh) && sh.sh_type == SHT_SYMTAB_SHNDX && sh.sh_link == symbols)
			return elf_getdata(s, NULL);
	return NULL;
}

void debug_relocate(const struct elf_file *f, size_t section, uint8_t *bytes, size_t n)
{
	struct relocating r = { .f = f, .swap = elf_file_swaps(f) };
	GElf_Shdr sh, symbols;
	Elf_Scn *scn, *of;

	if (f->ehdr.e_type != ET_REL || !(scn = find_relocations(f, section, &sh)))
		return;
	of = elf_getscn(f->elf, sh.sh_link);
	if (!of || !gelf_getshdr(of, &symbols) || symbols.sh_type != SHT_SYMTAB)
		return;
	r.has_addends = sh.sh_type == SHT_RELA;
	r.relocations = elf_getdata(scn, NULL);
	r.symbols = elf_getdata(of, NULL);
	r.indexes = find_indexes(f, sh.sh_link);
	if (r.relocations && r.symbols && module_layout_read(&r.layout, f) == 0)
		apply(&r, bytes, n);
	module_layout_free(&r.layout);
}
