/* SPDX-License-Identifier: MIT */
/* Relocations of an object file that is made by hand: each kind of number, and those that lead nowhere. */
#include "symbol/dwarf/relocate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The sections of the file; code lies in two of them, the second at 0x100. */
enum { NONE, TEXT, MORE_TEXT, INIT_TEXT, DEBUG, SYMBOLS, RELOCATIONS, NAMES, NR_SECTIONS };
enum { IN_TEXT = 1, IN_MORE_TEXT, IN_INIT_TEXT, IN_DEBUG, ABSOLUTE, NOWHERE, NR_SYMBOLS };

static const char names[] = "\0.text\0.text.more\0.init.text\0.debug_info";

struct object {
	Elf64_Ehdr ehdr;
	Elf64_Shdr sections[NR_SECTIONS];
	Elf64_Sym symbols[NR_SYMBOLS];
	Elf64_Rela relocations[2];
	char names[sizeof(names)];
};

static Elf64_Shdr section(uint32_t name, uint32_t type, uint64_t flags, uint64_t offset, uint64_t size)
{
	return (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_flags = flags, .sh_offset = offset, .sh_size = size,
			     .sh_addralign = 0x100 };
}

static struct elf_file object_with(uint16_t machine, const Elf64_Rela *first, const Elf64_Rela *second)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	struct object *o = calloc(1, sizeof(*o));
	struct elf_file f;

	assert_non_null(o);
	memcpy(o->ehdr.e_ident, ELFMAG, SELFMAG);
	o->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	o->ehdr.e_ident[EI_DATA] = host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB;
	o->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	o->ehdr.e_version = EV_CURRENT;
	o->ehdr.e_type = ET_REL;
	o->ehdr.e_machine = machine;
	o->ehdr.e_ehsize = sizeof(o->ehdr);
	o->ehdr.e_shoff = offsetof(struct object, sections);
	o->ehdr.e_shentsize = sizeof(o->sections[0]);
	o->ehdr.e_shnum = NR_SECTIONS;
	o->ehdr.e_shstrndx = NAMES;
	o->sections[TEXT] = section(1, SHT_NOBITS, code, 0, 0x80);
	o->sections[MORE_TEXT] = section(7, SHT_NOBITS, code, 0, 0x80);
	o->sections[INIT_TEXT] = section(18, SHT_NOBITS, code, 0, 0x80);
	o->sections[DEBUG] = section(29, SHT_PROGBITS, 0, 0, 16);
	o->sections[SYMBOLS] = section(0, SHT_SYMTAB, 0, offsetof(struct object, symbols), sizeof(o->symbols));
	o->sections[SYMBOLS].sh_entsize = sizeof(o->symbols[0]);
	o->sections[SYMBOLS].sh_link = NAMES;
	o->sections[RELOCATIONS] = section(0, SHT_RELA, 0, offsetof(struct object, relocations),
					   sizeof(o->relocations));
	o->sections[RELOCATIONS].sh_entsize = sizeof(o->relocations[0]);
	o->sections[RELOCATIONS].sh_link = SYMBOLS;
	o->sections[RELOCATIONS].sh_info = DEBUG;
	o->sections[NAMES] = section(0, SHT_STRTAB, 0, offsetof(struct object, names), sizeof(o->names));
	memcpy(o->names, names, sizeof(names));
	o->symbols[IN_TEXT] = (Elf64_Sym){ .st_shndx = TEXT, .st_value = 0x10 };
	o->symbols[IN_MORE_TEXT] = (Elf64_Sym){ .st_shndx = MORE_TEXT, .st_value = 8 };
	o->symbols[IN_INIT_TEXT] = (Elf64_Sym){ .st_shndx = INIT_TEXT };
	o->symbols[IN_DEBUG] = (Elf64_Sym){ .st_shndx = DEBUG };
	o->symbols[ABSOLUTE] = (Elf64_Sym){ .st_shndx = SHN_ABS, .st_value = 0x1234 };
	o->relocations[0] = *first;
	o->relocations[1] = *second;
	assert_int_equal(elf_file_open_memory(&f, o, sizeof(*o), NULL), 0);
	return f;
}

static Elf64_Rela rela(uint64_t offset, uint64_t symbol, uint64_t type, int64_t addend)
{
	return (Elf64_Rela){ .r_offset = offset, .r_info = ELF64_R_INFO(symbol, type), .r_addend = addend };
}

/* Eight bytes of 0x55 after two relocations. */
static uint64_t relocated(uint16_t machine, Elf64_Rela first, Elf64_Rela second)
{
	struct elf_file f = object_with(machine, &first, &second);
	uint8_t bytes[16];
	uint64_t v;

	memset(bytes, 0x55, sizeof(bytes));
	debug_relocate(&f, DEBUG, bytes, 8);
	for (size_t i = 8; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0x55);  /* nothing beyond the end */
	elf_file_close(&f);
	memcpy(&v, bytes, 8);
	return v;
}

#define NOTHING rela(0, 0, 0, 0)

static void absolute_numbers(void **state)
{
	static const struct { uint16_t machine; uint32_t wide, narrow; } machines[] = {
		{ EM_X86_64, R_X86_64_64, R_X86_64_32 }, { EM_AARCH64, R_AARCH64_ABS64, R_AARCH64_ABS32 },
		{ EM_S390, R_390_64, R_390_32 }, { EM_PPC64, R_PPC64_ADDR64, R_PPC64_ADDR32 },
		{ EM_RISCV, R_RISCV_64, R_RISCV_32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		uint16_t m = machines[i].machine;
		uint64_t v = relocated(m, rela(0, IN_MORE_TEXT, machines[i].narrow, 4),
				       rela(4, IN_DEBUG, machines[i].narrow, 0x20));
		uint32_t halves[2];

		memcpy(halves, &v, sizeof(halves));
		assert_int_equal(halves[0], 0x10c);
		assert_int_equal(halves[1], 0x20);
		assert_int_equal(relocated(m, rela(0, IN_TEXT, machines[i].wide, -4), NOTHING), 0xc);
		assert_int_equal(relocated(m, rela(0, ABSOLUTE, machines[i].wide, 1), NOTHING), 0x1235);
	}
}

/* Code for initialisation is not at addresses that the module keeps, and neither is an unknown symbol. */
static void symbols_without_an_address(void **state)
{
	(void)state;
	for (uint64_t symbol = 0; symbol < 100000; symbol += symbol < 10 ? 1 : 30001)
		if (symbol == 0 || symbol == IN_INIT_TEXT || symbol >= NOWHERE)
			assert_true(relocated(EM_X86_64, rela(0, symbol, R_X86_64_64, 0), NOTHING) >= 0x80000000);
}

static uint8_t first_byte(uint64_t v)
{
	return *(uint8_t *)&v;
}

static void sums_and_differences(void **state)
{
	uint64_t v;
	uint16_t half;

	(void)state;
	v = relocated(EM_RISCV, rela(0, IN_MORE_TEXT, R_RISCV_SET16, 0), rela(0, IN_TEXT, R_RISCV_SUB16, 0));
	memcpy(&half, &v, 2);
	assert_int_equal(half, 0xf8);
	assert_int_equal(relocated(EM_RISCV, rela(0, IN_MORE_TEXT, R_RISCV_ADD64, 0),
				   rela(0, IN_TEXT, R_RISCV_SUB64, 0)), 0x5555555555555555 + 0xf8);
	assert_int_equal(first_byte(relocated(EM_RISCV, rela(0, IN_TEXT, R_RISCV_SET6, 0),
					      rela(0, IN_DEBUG, R_RISCV_SUB6, 1))), 0x40 | 0xf);
	assert_int_equal(first_byte(relocated(EM_RISCV, rela(0, IN_TEXT, R_RISCV_SET8, 0),
					      rela(0, IN_DEBUG, R_RISCV_ADD8, 1))), 0x11);
	/* a ULEB128 of one byte: it keeps its length */
	assert_int_equal(first_byte(relocated(EM_RISCV, rela(0, IN_TEXT, 60, 0), rela(0, IN_DEBUG, 61, 2))), 0xe);
}

static void relocations_that_lead_nowhere(void **state)
{
	const uint64_t same = 0x5555555555555555;

	(void)state;
	for (uint64_t at = 1; at < 20; at++)
		if (at > 7)
			assert_int_equal(relocated(EM_RISCV, rela(at, IN_TEXT, 60, 0), NOTHING), same);
		else
			assert_int_equal(relocated(EM_X86_64, rela(at, IN_TEXT, R_X86_64_64, 0), NOTHING), same);
	assert_int_equal(relocated(EM_X86_64, rela(UINT64_MAX, IN_TEXT, R_X86_64_32, 0), NOTHING), same);
	assert_int_equal(relocated(EM_X86_64, rela(0, IN_TEXT, 12345, 0), NOTHING), same);
	assert_int_equal(relocated(EM_SPARC, rela(0, IN_TEXT, 1, 0), NOTHING), same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_numbers),
		cmocka_unit_test(symbols_without_an_address),
		cmocka_unit_test(sums_and_differences),
		cmocka_unit_test(relocations_that_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
