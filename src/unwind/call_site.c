/* SPDX-License-Identifier: MIT */
#include "unwind/call_site.h"

#include <elf.h>

#include "base/bytes.h"

enum { BEFORE = 8 };     /* bytes that are looked at */
enum { BLOCK = 4096 };   /* bytes that are searched at once */
enum { CALL_MOST = 15 }; /* bytes of an instruction of x86, the longest of all */

/* Each looks at the bytes before @end. */
static bool x86_call(const uint8_t *end)
{
	static const uint8_t lengths[] = { 2, 3, 4, 6, 7 };  /* of ff /2 with its prefix and operand */

	if (end[-5] == 0xe8)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (end[-lengths[i]] == 0xff && (end[1 - lengths[i]] >> 3 & 7) == 2)
			return true;
	return false;
}

/* Instructions of these are little-endian. */
static uint32_t le32(const uint8_t *p)
{
	return load_u32(p, host_is_big_endian());
}

static uint16_t le16(const uint8_t *p)
{
	return load_u16(p, host_is_big_endian());
}

static bool aarch64_call(const uint8_t *end)
{
	uint32_t code = le32(end - 4);

	return (code & 0xfc000000) == 0x94000000 || (code & 0xfefff000) == 0xd63f0000;
}

static bool riscv_call(const uint8_t *end)
{
	uint32_t code = le32(end - 4);

	return (code & 0xfff) == 0x0ef || (code & 0xfff) == 0x0e7 || (le16(end - 2) & 0xf07f) == 0x9002;
}

static bool arm_call(const uint8_t *end)
{
	uint32_t code = le32(end - 4);
	uint16_t high = le16(end - 4), low = le16(end - 2);

	return (code & 0x0f000000) == 0x0b000000 || (code & 0xfe000000) == 0xfa000000 ||
	       (code & 0x0ffffff0) == 0x012fff30 ||
	       ((high & 0xf800) == 0xf000 && (low & 0xc000) == 0xc000) ||
	       (low & 0xff87) == 0x4780;
}

static bool s390_call(const uint8_t *end)
{
	return (end[-6] == 0xc0 && (end[-5] & 0xf) == 5) || (end[-4] == 0xa7 && (end[-3] & 0xf) == 5) ||
	       end[-2] == 0x0d;
}

bool call_site_may_end_at(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr)
{
	uint8_t code[BEFORE];

	if (!unwind_memory_code(m, addr - BEFORE, code, BEFORE))
		return true;
	switch (cpu->machine) {
	case EM_X86_64:
	case EM_386: return x86_call(code + BEFORE);
	case EM_AARCH64: return aarch64_call(code + BEFORE);
	case EM_RISCV: return riscv_call(code + BEFORE);
	case EM_ARM: return arm_call(code + BEFORE);
	case EM_S390: return s390_call(code + BEFORE);
	}
	return true;
}

/* The bytes of ff /2 with its operand, which @modrm and the byte after it describe. */
static unsigned indirect_call_length(uint8_t modrm, uint8_t sib)
{
	unsigned mode = modrm >> 6, length = 2;
	bool has_sib = mode != 3 && (modrm & 7) == 4;

	length += has_sib;
	if (mode == 1)
		return length + 1;
	if (mode == 2 || (mode == 0 && ((modrm & 7) == 5 || (has_sib && (sib & 7) == 5))))
		return length + 4;
	return length;
}

/* @code ends with at least 1 byte after the instruction's. */
static bool is_x86_call(const uint8_t *code, size_t size)
{
	size_t i = 0;

	/* rex, and what stands for notrack, bnd and padding */
	while (i + 2 < size && ((code[i] & 0xf0) == 0x40 || code[i] == 0x3e || code[i] == 0xf2 || code[i] == 0x66))
		i++;
	if (code[i] == 0xe8)
		return size - i == 5;
	return code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2 &&
	       size - i == indirect_call_length(code[i + 1], code[i + 2]);
}

bool call_site_is_between(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t from, uint64_t end)
{
	uint64_t size = end - from;
	uint8_t code[CALL_MOST + 1] = { 0 };

	if (size < 2 || size > CALL_MOST)
		return false;
	return (cpu->machine != EM_X86_64 && cpu->machine != EM_386) || !unwind_memory_code(m, from, code, size) ||
	       is_x86_call(code, size);
}

/* The lowest @bits of a number, with their sign. */
static uint64_t extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* @code: the BEFORE bytes before @addr */
static bool target_of(const struct unwind_cpu *cpu, const uint8_t *code, uint64_t addr, uint64_t *target)
{
	uint32_t last, by;

	last = le32(code + 4);
	switch (cpu->machine) {
	case EM_X86_64:
	case EM_386:
		*target = addr + extend(last, 32);
		return code[3] == 0xe8;
	case EM_AARCH64:
		*target = addr - 4 + extend((uint64_t)last << 2, 28);
		return (last & 0xfc000000) == 0x94000000;
	case EM_RISCV:  /* jal: bits 20, 10-1, 11 and 19-12 from the top on */
		by = (last >> 31 & 1) << 20 | (last >> 21 & 0x3ff) << 1 | (last >> 20 & 1) << 11 |
		     (last >> 12 & 0xff) << 12;
		*target = addr - 4 + extend(by, 21);
		return (last & 0xfff) == 0x0ef;
	case EM_S390:  /* brasl and bras count in halfwords, most significant byte first */
		*target = addr - 6 + extend((uint64_t)bswap_32(last) << 1, 33);
		if (code[2] == 0xc0 && (code[3] & 0xf) == 5)
			return true;
		*target = addr - 4 + extend((bswap_32(last) & 0xffff) << 1, 17);
		return code[4] == 0xa7 && (code[5] & 0xf) == 5;
	}
	return false;
}

bool call_site_target(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr, uint64_t *target)
{
	uint8_t code[BEFORE];

	return unwind_memory_code(m, addr - BEFORE, code, BEFORE) && target_of(cpu, code, addr, target);
}

uint64_t call_site_find(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t start, uint64_t end,
			uint64_t target)
{
	uint8_t code[BLOCK];
	uint64_t found;

	for (uint64_t at = start - BEFORE; end - at > BEFORE && end > start; at += BLOCK - BEFORE) {
		size_t n = end - at < BLOCK ? (size_t)(end - at) : BLOCK;

		if (!unwind_memory_code(m, at, code, n))
			return 0;
		for (size_t i = BEFORE; i <= n; i++)
			if (target_of(cpu, code + i - BEFORE, at + i, &found) && found == target)
				return at + i;
		if (n < BLOCK)
			return 0;
	}
	return 0;
}

/* endbr, bnd, and jmp *displacement(%rip) or *displacement(%ebx); mold puts the entry's number into %r11d before */
bool call_site_is_stub(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t addr)
{
	uint8_t code[BEFORE];
	size_t at = 0;

	if ((cpu->machine != EM_X86_64 && cpu->machine != EM_386) || !unwind_memory_code(m, addr, code, BEFORE))
		return false;
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		at = 4;
	if (cpu->machine == EM_X86_64 && code[at] == 0x41 && code[at + 1] == 0xbb) {
		if (!unwind_memory_code(m, addr + at + 6, code, 2))
			return false;
		at = 0;
	}
	if (code[at] == 0xf2)
		at++;
	return code[at] == 0xff && (code[at + 1] == 0x25 || code[at + 1] == 0xa3);
}
