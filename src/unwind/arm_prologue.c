/* SPDX-License-Identifier: MIT */
#include "unwind/arm_prologue.h"

#include "base/bytes.h"

enum { SP = 13, LR = 14, REGS = 15 };
enum { CODE_MOST = 4096 };  /* bytes of code that are looked at */

struct prologue {
	uint32_t depth;              /* bytes of stack */
	uint32_t saved;              /* registers, as bits */
	uint32_t at[REGS];           /* below the CFA */
	/* The code went elsewhere. Linkers make one entry of neighbours without rules: another function may follow. */
	bool ended;
};

static void push(struct prologue *p, uint32_t mask)
{
	if (mask >> LR & 1 && p->ended)
		*p = (struct prologue){ 0 };
	p->depth += 4 * (uint32_t)__builtin_popcount(mask);
	for (uint32_t reg = 0, below = p->depth; reg < REGS; reg++)
		if (mask >> reg & 1) {
			if (!(p->saved >> reg & 1))
				p->at[reg] = below;
			p->saved |= 1u << reg;
			below -= 4;
		}
}

static uint32_t rotate(uint32_t v, unsigned by)
{
	by &= 31;
	return by ? v >> by | v << (32 - by) : v;
}

/* ARM code; Thumb code below */
static void arm_step(struct prologue *p, uint32_t code)
{
	if ((code & 0xffff0000) == 0xe92d0000)
		push(p, code & 0x7fff);
	else if ((code & 0xffff0fff) == 0xe52d0004)
		push(p, 1u << (code >> 12 & 15));
	else if ((code & 0xfffff000) == 0xe24dd000)
		p->depth += rotate(code & 0xff, 2 * (code >> 8 & 15));
	else if ((code & 0xffbf0f00) == 0xed2d0b00)
		p->depth += 4 * (code & 0xff);
	else
		p->ended |= (code & 0xffff0000) == 0xe8bd0000 || (code & 0xff000000) == 0xea000000 ||
			   (code & 0xfffffff0) == 0xe12fff10;
}

static uint32_t thumb_constant(uint32_t first, uint32_t second)
{
	uint32_t imm = (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | (second & 0xff);

	return imm >> 8 == 0 ? imm : rotate(0x80 | (imm & 0x7f), imm >> 7);
}

static void thumb_wide_step(struct prologue *p, uint32_t first, uint32_t second)
{
	if (first == 0xe92d)
		push(p, second & 0x7fff);
	else if (first == 0xf84d && (second & 0x0fff) == 0x0d04)
		push(p, 1u << (second >> 12));
	else if ((first & 0xfbef) == 0xf1ad && (second & 0x8f00) == 0x0d00)
		p->depth += thumb_constant(first, second);
	else if ((first & 0xfbff) == 0xf2ad && (second & 0x8f00) == 0x0d00)
		p->depth += (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | (second & 0xff);
	else if ((first & 0xffbf) == 0xed2d && (second & 0x0f00) == 0x0b00)
		p->depth += 4 * (second & 0xff);
	else
		p->ended |= first == 0xe8bd || ((first & 0xf800) == 0xf000 && (second & 0xd000) == 0x9000);
}

static void thumb_step(struct prologue *p, uint32_t code)
{
	if ((code & 0xfe00) == 0xb400)
		push(p, (code & 0xff) | (code & 0x100) << 6);
	else if ((code & 0xff80) == 0xb080)
		p->depth += 4 * (code & 0x7f);
	else
		p->ended |= (code & 0xff80) == 0xb000 || (code & 0xfe00) == 0xbc00 || (code & 0xf800) == 0xe000 ||
			   (code & 0xff80) == 0x4700;
}

static void read_prologue(struct prologue *p, const uint8_t *code, size_t n)
{
	bool big = host_is_big_endian();
	size_t at = 0;

	if (n >= 4 && (load_u32(code, big) >> 28) == 0xe && (load_u16(code, big) >> 11) != 0x1d) {
		for (; at + 4 <= n; at += 4)
			arm_step(p, load_u32(code + at, big));
		return;
	}
	while (at + 2 <= n) {
		uint16_t first = load_u16(code + at, big);
		bool wide = first >> 11 >= 0x1d;

		if (wide && at + 4 > n)
			return;
		if (wide)
			thumb_wide_step(p, first, load_u16(code + at + 2, big));
		else
			thumb_step(p, first);
		at += wide ? 4 : 2;
	}
}

bool arm_prologue_unwind(uint64_t start, bool innermost, struct unwind_memory *m, struct unwind_registers *regs)
{
	struct prologue p = { 0 };
	uint8_t code[CODE_MOST];
	uint64_t n = regs->pc - start, cfa, value;

	if (n > CODE_MOST) {
		start = regs->pc - CODE_MOST;
		n = CODE_MOST;
	}
	if (n && !unwind_memory_code(m, start, code, n))
		return false;
	read_prologue(&p, code, n);
	if (!(p.saved >> LR & 1) && !innermost)
		return false;
	cfa = regs->at[SP] + p.depth;
	for (unsigned reg = 0; reg < REGS; reg++)
		if (p.saved >> reg & 1) {
			regs->known[reg] = unwind_memory_read(m, cfa - p.at[reg], 4, &value);
			regs->at[reg] = value;
		}
	unwind_register_set(regs, SP, cfa);
	regs->pc = regs->at[LR] & ~UINT64_C(1);
	return regs->known[LR];
}
