/* SPDX-License-Identifier: MIT */
/* Numbers of perf: <asm/perf_regs.h> of each architecture. Numbers of DWARF: the ABI supplements. */
#include "unwind/cpu.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

#define NO CPU_NO_REG

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8-r15 */
static const uint8_t x86_64_regs[] = { 0,  3,  2,  1,  4,  5,  6,  7,  NO, NO, NO, NO,
				       NO, NO, NO, NO, 8,  9,  10, 11, 12, 13, 14, 15 };

static const uint8_t i386_regs[] = { 0, 3, 1, 2, 6, 7, 5, 4 };

/* x0-x30 sp; the bits 0-15 are also those of a 32-bit task */
static const uint8_t aarch64_regs[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
					16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

/* pc ra sp gp ...: x0, which is always 0, has no bit */
static const uint8_t riscv_regs[] = { NO, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
				      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

/* r0-r15, then f0-f15, which DWARF numbers f0 f2 f4 f6 f1 f3 f5 f7 f8 f10 ... */
static const uint8_t s390_regs[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
				     16, 20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31 };

#define REGS(list) .perf_to_dwarf = list, .nr_perf = sizeof(list)
#define REG(n) (UINT64_C(1) << (n))

static const struct unwind_cpu cpus[] = {
	{ .name = "x86_64", .machine = EM_X86_64, .word = 8, REGS(x86_64_regs),
	  .perf_pc = 8, .sp = 7, .fp = 6, .pc = 16,
	  .link = NO, .has_records = true, .record_return = 8, .record_fp = 0, .address_mask = UINT64_MAX,
	  .unsaved_in_kernel = REG(3) | REG(12) | REG(13) | REG(14) | REG(15) },
	{ .name = "i386", .machine = EM_386, .word = 4, REGS(i386_regs), .perf_pc = 8, .sp = 4, .fp = 5, .pc = 8,
	  .link = NO, .has_records = true, .record_return = 4, .record_fp = 0, .address_mask = UINT32_MAX },
	/* without the signature that pointer authentication puts above 48 bits */
	{ .name = "aarch64", .machine = EM_AARCH64, .word = 8, REGS(aarch64_regs),
	  .perf_pc = 32, .sp = 31, .fp = 29, .pc = NO,
	  .link = 30, .has_records = true, .record_return = 8, .record_fp = 0,
	  .address_mask = (UINT64_C(1) << 48) - 1 },
	{ .name = "arm", .machine = EM_ARM, .word = 4, REGS(aarch64_regs), .perf_pc = 15, .sp = 13, .fp = 11, .pc = 15,
	  .link = 14, .address_mask = UINT32_MAX - 1 },
	{ .name = "riscv64", .machine = EM_RISCV, .word = 8, REGS(riscv_regs), .perf_pc = 0, .sp = 2, .fp = 8, .pc = NO,
	  .link = 1, .has_records = true, .record_return = -8, .record_fp = -16, .address_mask = UINT64_MAX },
	{ .name = "s390x", .machine = EM_S390, .word = 8, .big_endian = true, REGS(s390_regs),
	  .perf_pc = 33, .sp = 15, .fp = 11, .pc = 65, .link = 14, .cfa_above_sp = 160, .address_mask = UINT64_MAX },
};

static const struct unwind_cpu *by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		if (!strcmp(cpus[i].name, name))
			return &cpus[i];
	return NULL;
}

const struct unwind_cpu *unwind_cpu_find(const char *arch, uint64_t abi)
{
	if (!arch || abi < 1 || abi > 2)
		return NULL;
	if (!strcmp(arch, "x86_64"))
		return by_name(abi == 1 ? "i386" : "x86_64");
	if (arch[0] == 'i' && !strcmp(arch + 2, "86"))
		return by_name("i386");
	if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		return by_name(abi == 1 ? "arm" : "aarch64");
	if (!strncmp(arch, "arm", 3))
		return by_name("arm");
	return abi == 2 ? by_name(arch) : NULL;
}
