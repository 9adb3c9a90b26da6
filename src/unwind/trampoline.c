/* SPDX-License-Identifier: MIT */
/* The layouts are those of struct rt_sigframe and struct sigframe of Linux, above the stack pointer. */
#include "unwind/trampoline.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

enum { CODE_MOST = 12 };

/* Registers that lie one after the other. */
struct saved {
	uint16_t at;                 /* from the first one on */
	uint8_t first, nr;           /* by DWARF numbers */
	const uint8_t *list;         /* DWARF numbers instead */
};

struct trampoline {
	uint16_t machine;
	const char *code;
	uint8_t code_size;
	bool has_cfi;
	uint16_t context;            /* of the saved registers; with `pointer`, from there */
	uint16_t pointer;            /* 0, or a place that has the address of the context */
	uint16_t pc;
	struct saved saved[2];
};

static const uint8_t x86_64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7 };
static const uint8_t i386_order[] = { 7, 6, 5, 4, 3, 1, 2, 0 };
static const uint8_t s390_fp_order[] = { 16, 20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31 };

#define CODE(text) .code = text, .code_size = sizeof(text) - 1

static const struct trampoline trampolines[] = {
	{ EM_X86_64, CODE("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"), .has_cfi = true, .context = 40, .pc = 128,
	  .saved = { { 0, .nr = 16, .list = x86_64_order } } },
	{ EM_386, CODE("\x58\xb8\x77\x00\x00\x00\xcd\x80"), .has_cfi = true, .context = 4, .pc = 56,
	  .saved = { { 16, .nr = 8, .list = i386_order } } },
	{ EM_386, CODE("\xb8\xad\x00\x00\x00\xcd\x80"), .has_cfi = true, .pointer = 8, .context = 20, .pc = 56,
	  .saved = { { 16, .nr = 8, .list = i386_order } } },
	{ EM_AARCH64, CODE("\x68\x11\x80\xd2\x01\x00\x00\xd4"), .context = 304, .pc = 8 + 32 * 8,
	  .saved = { { 8, 0, 32, NULL } } },
	{ EM_RISCV, CODE("\x93\x08\xb0\x08\x73\x00\x00\x00"), .context = 304, .pc = 0,
	  .saved = { { 8, 1, 31, NULL } } },
	{ EM_S390, CODE("\x0a\xad"), .context = 336, .pc = 8,
	  .saved = { { 16, 0, 16, NULL }, { 216, .nr = 16, .list = s390_fp_order } } },
	{ EM_S390, CODE("\x0a\x77"), .context = 176, .pc = 8,
	  .saved = { { 16, 0, 16, NULL }, { 216, .nr = 16, .list = s390_fp_order } } },
	/* ARM: mov r7, #173 or #119, in ARM code and twice in Thumb code */
	{ EM_ARM, CODE("\xad\x70\xa0\xe3"), .context = 160, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
	{ EM_ARM, CODE("\x77\x70\xa0\xe3"), .context = 32, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
	{ EM_ARM, CODE("\x4f\xf0\xad\x07"), .context = 160, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
	{ EM_ARM, CODE("\x4f\xf0\x77\x07"), .context = 32, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
	{ EM_ARM, CODE("\xad\x27\x00\xdf"), .context = 160, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
	{ EM_ARM, CODE("\x77\x27\x00\xdf"), .context = 32, .pc = 60, .saved = { { 0, 0, 15, NULL } } },
};

const struct trampoline *trampoline_at(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t pc,
				       bool has_rule)
{
	uint8_t code[CODE_MOST];

	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++) {
		const struct trampoline *t = &trampolines[i];

		if (t->machine == cpu->machine && !(has_rule && t->has_cfi) &&
		    unwind_memory_code(m, pc, code, t->code_size) &&
		    !memcmp(code, t->code, t->code_size))
			return t;
	}
	return NULL;
}

const struct trampoline *trampoline_by_registers(const struct unwind_cpu *cpu, struct unwind_memory *m,
						 const struct unwind_registers *regs)
{
	for (size_t i = 0; i < ARRAY_SIZE(trampolines); i++) {
		struct unwind_registers saved = *regs;

		if (trampolines[i].machine == cpu->machine && trampoline_unwind(&trampolines[i], cpu, m, &saved) &&
		    maps_find(m->maps, saved.pc) && saved.at[cpu->sp] && saved.at[cpu->sp] % 4 == 0)
			return &trampolines[i];
	}
	return NULL;
}

bool trampoline_unwind(const struct trampoline *t, const struct unwind_cpu *cpu, struct unwind_memory *m,
		       struct unwind_registers *regs)
{
	uint64_t context = regs->at[cpu->sp], pc, value;

	if (t->pointer && !unwind_memory_read(m, context + t->pointer, cpu->word, &context))
		return false;
	context += t->context;
	if (!unwind_memory_read(m, context + t->pc, cpu->word, &pc))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(t->saved); i++) {
		const struct saved *s = &t->saved[i];

		for (unsigned k = 0; k < s->nr; k++) {
			unsigned reg = s->list ? s->list[k] : s->first + k;

			regs->known[reg] = false;
			if (unwind_memory_read(m, context + s->at + (uint64_t)k * cpu->word, cpu->word, &value))
				unwind_register_set(regs, reg, value);
		}
	}
	regs->pc = cpu->machine == EM_ARM ? pc & ~UINT64_C(1) : pc;
	return regs->known[cpu->sp];
}
