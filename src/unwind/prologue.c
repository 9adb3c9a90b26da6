/* SPDX-License-Identifier: MIT */
#include "unwind/prologue.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

/* Stores of registers and checks of arguments come first. */
enum { CODE_MOST = 128 };

struct prologue_code {
	uint8_t bytes[CODE_MOST + 8];
	size_t n;
};

static int64_t extend(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint32_t le(const struct prologue_code *c, size_t at, bool four)
{
	return four ? load_u32(c->bytes + at, host_is_big_endian()) : load_u16(c->bytes + at, host_is_big_endian());
}

/* Each gives the change of the stack pointer by the instruction at @at, and its length. */
static int64_t aarch64_change(const struct prologue_code *c, size_t at, size_t *length)
{
	uint32_t code = le(c, at, true);

	*length = 4;
	if ((code & 0xff8003ff) == 0xd10003ff)  /* sub sp, sp, #n */
		return -(int64_t)((uint64_t)(code >> 10 & 0xfff) << (code >> 22 & 1 ? 12 : 0));
	if ((code & 0xffc003e0) == 0xa98003e0)  /* stp x, x, [sp, #-n]! */
		return 8 * extend(code >> 15 & 0x7f, 7);
	if ((code & 0xffe00fe0) == 0xf8000fe0)  /* str x, [sp, #-n]! */
		return extend(code >> 12 & 0x1ff, 9);
	return 0;
}

static int64_t riscv_change(const struct prologue_code *c, size_t at, size_t *length)
{
	uint32_t code = le(c, at, true), half = le(c, at, false);

	*length = (half & 3) == 3 ? 4 : 2;
	if ((code & 0xfffff) == 0x10113)        /* addi sp, sp, n */
		return extend(code >> 20, 12);
	if ((half & 0xef83) == 0x6101)          /* c.addi16sp: bits 9, 4, 6, 8-7 and 5 of n */
		return extend((half >> 12 & 1) << 9 | (half >> 6 & 1) << 4 | (half >> 5 & 1) << 6 |
			      (half >> 3 & 3) << 7 | (half >> 2 & 1) << 5, 10);
	if ((half & 0xef83) == 0x0101)          /* c.addi sp, n */
		return extend((half >> 12 & 1) << 5 | (half >> 2 & 0x1f), 6);
	return 0;
}

static int64_t s390_change(const struct prologue_code *c, size_t at, size_t *length)
{
	const uint8_t *p = c->bytes + at;

	*length = p[0] < 0x40 ? 2 : p[0] < 0xc0 ? 4 : 6;
	if (p[0] == 0xa7 && p[1] == 0xfb)       /* aghi %r15, n */
		return extend((uint64_t)p[2] << 8 | p[3], 16);
	if (p[0] == 0xe3 && p[1] == 0xf0 && p[2] >> 4 == 0xf && p[5] == 0x71)  /* lay %r15, n(%r15) */
		return extend((uint64_t)p[4] << 12 | (p[2] & 0xfu) << 8 | p[3], 20);
	return 0;
}

uint64_t prologue_room(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t start, uint64_t pc)
{
	struct prologue_code c = { .n = pc - start < CODE_MOST ? pc - start : CODE_MOST };
	int64_t change, room = 0;
	size_t length;

	if (cpu->link == CPU_NO_REG || start > pc || !unwind_memory_code(m, start, c.bytes, c.n))
		return 0;
	for (size_t at = 0; at < c.n; at += length) {
		switch (cpu->machine) {
		case EM_AARCH64: change = aarch64_change(&c, at, &length); break;
		case EM_RISCV: change = riscv_change(&c, at, &length); break;
		case EM_S390: change = s390_change(&c, at, &length); break;
		default: return 0;
		}
		if (change < 0)  /* an epilogue in between belongs to another path */
			room -= change;
	}
	return (uint64_t)room;
}

/* mov %rsp, %rbp or mov %esp, %ebp, and no ret after it. */
bool prologue_sets_frame_pointer(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t pc)
{
	static const uint8_t move[] = { 0x48, 0x89, 0xe5 };
	size_t skipped = cpu->machine == EM_386, size = sizeof(move) - skipped, n = CODE_MOST / 2;
	uint8_t code[CODE_MOST / 2];

	if (cpu->link != CPU_NO_REG)
		return false;
	/* the mapping may begin in between */
	while (n > size && !unwind_memory_code(m, pc - n, code, n))
		n /= 2;
	for (size_t at = n > size ? n - size + 1 : 0; at-- > 0;) {
		if (!memcmp(code + at, move + skipped, size))
			return true;
		if (code[at] == 0xc3)
			return false;
	}
	return false;
}
