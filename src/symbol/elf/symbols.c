/* SPDX-License-Identifier: MIT */
#include "symbol/elf/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/elf/loads.h"
#include "symbol/elf/module_layout.h"

struct symbol_section {
	uint64_t addr, offset;
	bool labels;                 /* a symbol of no type may be shown: code or data, by its name */
};

struct loader {
	const struct elf_file *f;
	enum elf_address address;
	struct symbol_section *sections;
	size_t nr_sections;
	struct elf_loads loads;
	struct module_layout module; /* of ELF_MODULE */
};

/* A label that a compiler or an assembler made: inside of a function, or a mark for disassemblers. */
static bool is_made_label(uint16_t machine, const char *name)
{
	if (name[0] == '$')
		return machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV || machine == EM_CSKY;
	return name[0] == '.' && name[1] == 'L';
}

static bool read_sections(struct loader *l)
{
	size_t names;

	if (elf_getshdrnum(l->f->elf, &l->nr_sections) < 0 || elf_getshdrstrndx(l->f->elf, &names) < 0)
		return false;
	l->sections = calloc(l->nr_sections + 1, sizeof(*l->sections));
	if (!l->sections)
		return false;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(l->f->elf, s));) {
		size_t i = elf_ndxscn(s);
		const char *name;
		GElf_Shdr sh;

		if (i >= l->nr_sections || !gelf_getshdr(s, &sh))
			continue;
		name = elf_strptr(l->f->elf, names, sh.sh_name);
		name = name ? name : "";
		l->sections[i] = (struct symbol_section){
			.addr = sh.sh_addr,
			.offset = sh.sh_offset,
			.labels = strstr(name, "text") || strstr(name, "data"),
		};
	}
	return true;
}

static bool to_address(const struct loader *l, const GElf_Sym *sym, uint64_t *addr)
{
	const struct symbol_section *s = &l->sections[sym->st_shndx];

	*addr = sym->st_value;
	if (l->f->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		*addr &= ~UINT64_C(1);  /* Thumb code */
	if (l->address == ELF_VALUE)
		return true;
	if (l->address == ELF_MODULE) {
		if (!module_layout_is_code(&l->module, sym->st_shndx))
			return false;
		*addr += l->module.at[sym->st_shndx];
		return true;
	}
	if (!elf_loads_offset(&l->loads, addr))
		*addr += s->offset + l->f->offset - s->addr;
	return true;
}

static bool is_wanted(const struct loader *l, const GElf_Sym *sym, const char *name)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (!name[0] || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= l->nr_sections)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return l->sections[sym->st_shndx].labels && visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
		       !is_made_label(l->f->ehdr.e_machine, name);
	}
	return false;
}

static enum symtab_binding binding(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return SYMTAB_GLOBAL;
	case STB_WEAK:
		return SYMTAB_WEAK;
	}
	return SYMTAB_LOCAL;
}

/* A section of symbols, the text of their names, and the versions of these; NULL: the section has none. */
struct symbol_table {
	Elf_Data *symbols, *names, *versions;
	size_t n;
};

static bool read_table(struct symbol_table *t, const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *names = scn ? elf_getscn(f->elf, sh->sh_link) : NULL;
	GElf_Shdr names_sh;

	if (!names || !gelf_getshdr(names, &names_sh) || names_sh.sh_type != SHT_STRTAB)
		return false;
	t->symbols = elf_getdata(scn, NULL);
	t->names = elf_getdata(names, NULL);
	if (!t->symbols || !t->symbols->d_buf || !t->names || !t->names->d_buf)
		return false;
	t->n = t->symbols->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	t->versions = NULL;
	if (sh->sh_type == SHT_DYNSYM && (scn = elf_file_section_of_type(f, SHT_GNU_versym, &names_sh)))
		t->versions = elf_getdata(scn, NULL);
	return t->n <= INT32_MAX;
}

#define VERSION_HIDDEN 0x8000   /* of a version in .gnu.version: programs that are linked now get another one */
#define NAME_LOOK 4096          /* in a hostile file every symbol may point at the same megabytes */

/*
 * Cuts the copy of a name: its version is no part of it ("read@@GLIBC_2.2.5", "read@GLIBC_2.0" of an old version).
 * Names that share their end share the version, so the original tells it. Returns whether the version is old.
 */
static bool cut_version(const struct symbol_table *t, size_t i, const GElf_Sym *sym, char *copy)
{
	const char *name = (const char *)t->names->d_buf + sym->st_name, *at;
	size_t most = t->names->d_size - sym->st_name, len = strnlen(name, most < NAME_LOOK ? most : NAME_LOOK);
	GElf_Versym version;

	if (t->versions && gelf_getversym(t->versions, (int)i, &version) && version & VERSION_HIDDEN)
		return true;
	at = name[0] == '?' ? NULL : memchr(name, '@', len);  /* a name of Windows has them inside */
	if (!at || at == name)
		return false;
	copy[at - name] = 0;
	return (size_t)(at - name) + 1 == len || at[1] != '@';
}

bool elf_has_symbols(const struct elf_file *f, uint32_t section_type)
{
	GElf_Shdr sh;

	return elf_file_section_of_type(f, section_type, &sh);
}

uint32_t elf_add_symbols(struct symtab_builder *b, const struct elf_file *f, uint32_t section_type,
			 const struct elf_file *layout, enum elf_address address)
{
	struct loader l = { .f = f, .address = address };
	GElf_Shdr sh;
	struct symbol_table t;
	GElf_Sym sym;
	uint32_t base;
	char *names;

	if (!read_table(&t, f, elf_file_section_of_type(f, section_type, &sh), &sh))
		return SYMTAB_NONE;
	/* The names are taken over as they are, so they take no more room than in the file, whatever they share. */
	names = symtab_builder_strings(b, t.names->d_size + 1, &base);
	if (!names || !read_sections(&l) || (address == ELF_MODULE && module_layout_read(&l.module, f) < 0)) {
		free(l.sections);
		b->failed = true;
		return SYMTAB_NONE;
	}
	memcpy(names, t.names->d_buf, t.names->d_size);
	elf_loads_read(&l.loads, layout);
	for (size_t i = 1; i < t.n; i++) {
		struct symtab_raw raw;

		if (!gelf_getsym(t.symbols, (int)i, &sym) || sym.st_name >= t.names->d_size ||
		    !is_wanted(&l, &sym, names + sym.st_name) || !to_address(&l, &sym, &raw.start))
			continue;
		raw.size = sym.st_size < UINT32_MAX ? (uint32_t)sym.st_size : UINT32_MAX;
		raw.name = base + sym.st_name;
		raw.old = cut_version(&t, i, &sym, names + sym.st_name);
		raw.binding = binding(&sym);
		symtab_builder_add(b, &raw);
	}
	free(l.sections);
	module_layout_free(&l.module);
	return base;
}

bool elf_symbol_value(const struct elf_file *f, uint32_t section_type, const char *name, uint64_t *value,
		      uint64_t *size)
{
	size_t len = strlen(name) + 1;
	GElf_Shdr sh;
	struct symbol_table t;
	GElf_Sym sym;

	if (!read_table(&t, f, elf_file_section_of_type(f, section_type, &sh), &sh))
		return false;
	for (size_t i = 1; i < t.n; i++) {
		if (!gelf_getsym(t.symbols, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    sym.st_name >= t.names->d_size || len > t.names->d_size - sym.st_name ||
		    memcmp((char *)t.names->d_buf + sym.st_name, name, len))
			continue;
		*value = sym.st_value;
		*size = sym.st_size;
		return true;
	}
	return false;
}
