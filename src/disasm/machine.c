/* SPDX-License-Identifier: MIT */
#include "disasm/machine.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

static const struct machine_row {
	uint16_t machine;
	const char *name;
	uint8_t since;               /* the first version of capstone that knows it */
} rows[] = {
	{ EM_X86_64, "x86-64", 1 },   { EM_386, "i386", 1 },      { EM_AARCH64, "aarch64", 2 }, { EM_ARM, "arm", 1 },
	{ EM_S390, "s390x", 2 },      { EM_PPC64, "ppc64", 2 },   { EM_PPC, "ppc", 2 },         { EM_MIPS, "mips", 1 },
	{ EM_SPARCV9, "sparc64", 2 }, { EM_SPARC, "sparc", 2 },   { EM_SPARC32PLUS, "sparc", 2 },
	{ EM_RISCV, "riscv", 5 },     { EM_LOONGARCH, "loongarch", 6 },
};

static const struct machine_row *row_of(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].machine == machine)
			return &rows[i];
	return NULL;
}

const char *machine_name(uint16_t machine, char text[MACHINE_NAME])
{
	const struct machine_row *row = row_of(machine);

	if (row)
		return row->name;
	snprintf(text, MACHINE_NAME, "machine %u", machine);
	return text;
}

uint16_t machine_of_arch(const char *arch)
{
	static const struct { const char *arch; uint16_t machine; } names[] = {
		{ "x86_64", EM_X86_64 }, { "i386", EM_386 }, { "i486", EM_386 }, { "i586", EM_386 },
		{ "i686", EM_386 }, { "aarch64", EM_AARCH64 }, { "arm64", EM_AARCH64 }, { "armv7l", EM_ARM },
		{ "armv6l", EM_ARM }, { "armv8l", EM_ARM }, { "s390x", EM_S390 }, { "ppc64le", EM_PPC64 },
		{ "ppc64", EM_PPC64 }, { "riscv64", EM_RISCV }, { "mips", EM_MIPS }, { "mips64", EM_MIPS },
		{ "sparc64", EM_SPARCV9 }, { "loongarch64", EM_LOONGARCH },
	};

	for (size_t i = 0; arch && i < ARRAY_SIZE(names); i++)
		if (strcmp(arch, names[i].arch) == 0)
			return names[i].machine;
	return 0;
}

#ifdef HAVE_CAPSTONE

#if CS_API_MAJOR >= 6
#define ARCH_AARCH64 CS_ARCH_AARCH64
#define ARCH_S390 CS_ARCH_SYSTEMZ
#else
#define ARCH_AARCH64 CS_ARCH_ARM64
#define ARCH_S390 CS_ARCH_SYSZ
#endif

#define MODE(...) ((cs_mode)(__VA_ARGS__))

/* Since version 6 of their instruction sets, MIPS machines encode jumps in another way. */
#define MIPS_ARCH 0xf0000000u
#define MIPS_32R6 0x90000000u
#define MIPS_64R6 0xa0000000u

#define ARM_BE8 0x00800000u          /* instructions are little-endian though data are not */

static cs_mode mips_mode(const struct machine_code *c)
{
	uint32_t arch = c->flags & MIPS_ARCH;

	if (arch == MIPS_32R6 || arch == MIPS_64R6)
		return CS_MODE_MIPS32R6;
	return c->wide ? CS_MODE_MIPS64 : CS_MODE_MIPS32;
}

/* False: this version of capstone does not know the machine. */
static bool mode_of(const struct machine_code *c, struct machine_mode *out)
{
	cs_mode endian = c->big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;

	switch (c->machine) {
	case EM_X86_64:
		*out = (struct machine_mode){ CS_ARCH_X86, CS_MODE_64, 1 };
		return true;
	case EM_386:
		*out = (struct machine_mode){ CS_ARCH_X86, CS_MODE_32, 1 };
		return true;
	case EM_AARCH64:
		*out = (struct machine_mode){ ARCH_AARCH64, CS_MODE_LITTLE_ENDIAN, 4 };
		return true;
	case EM_ARM:
		if (c->flags & ARM_BE8)
			endian = CS_MODE_LITTLE_ENDIAN;
		*out = (struct machine_mode){ CS_ARCH_ARM, MODE(CS_MODE_V8 | endian), 4 };
		return true;
	case EM_S390:
		*out = (struct machine_mode){ ARCH_S390, CS_MODE_BIG_ENDIAN, 2 };
		return true;
	case EM_PPC64:
		*out = (struct machine_mode){ CS_ARCH_PPC, MODE(CS_MODE_64 | endian), 4 };
		return true;
	case EM_PPC:
		*out = (struct machine_mode){ CS_ARCH_PPC, MODE(CS_MODE_32 | endian), 4 };
		return true;
	case EM_MIPS:
		*out = (struct machine_mode){ CS_ARCH_MIPS, MODE(mips_mode(c) | endian), 4 };
		return true;
	case EM_SPARC:
		*out = (struct machine_mode){ CS_ARCH_SPARC, CS_MODE_BIG_ENDIAN, 4 };
		return true;
	case EM_SPARC32PLUS:
	case EM_SPARCV9:
		*out = (struct machine_mode){ CS_ARCH_SPARC, MODE(CS_MODE_V9 | CS_MODE_BIG_ENDIAN), 4 };
		return true;
#if CS_API_MAJOR >= 5
	case EM_RISCV:
		*out = (struct machine_mode){ CS_ARCH_RISCV,
					      MODE((c->wide ? CS_MODE_RISCV64 : CS_MODE_RISCV32) | CS_MODE_RISCVC), 2 };
		return true;
#endif
#if CS_API_MAJOR >= 6
	case EM_LOONGARCH:
		*out = (struct machine_mode){ CS_ARCH_LOONGARCH,
					      c->wide ? CS_MODE_LOONGARCH64 : CS_MODE_LOONGARCH32, 4 };
		return true;
#endif
	}
	return false;
}

int machine_mode(const struct machine_code *code, struct machine_mode *out, struct sonde_error *err)
{
	const struct machine_row *row = row_of(code->machine);
	const struct capstone *capstone = capstone_get();
	char text[MACHINE_NAME];

	if (!capstone)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "libcapstone.so.%d is not installed", CS_API_MAJOR);
	if (mode_of(code, out) && capstone->support((int)out->arch))
		return 0;
	if (row && row->since > CS_API_MAJOR)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "capstone %d does not know %s: version %d does",
			       CS_API_MAJOR, row->name, row->since);
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "capstone %d does not know %s", CS_API_MAJOR,
		       machine_name(code->machine, text));
}

#endif
