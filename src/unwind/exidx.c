/* SPDX-License-Identifier: MIT */
#include "unwind/exidx.h"

enum { SP = 13, LR = 14, PC = 15 };
enum { CANNOT_UNWIND = 1, BYTES_MOST = 4 + 4 * 255 };

bool exidx_open(struct exidx *x, const struct elf_file *f)
{
	*x = (struct exidx){ 0 };
	if (f->ehdr.e_machine != EM_ARM || !cfi_section_open(&x->index, f, ".ARM.exidx"))
		return false;
	cfi_section_open(&x->extab, f, ".ARM.extab");
	return x->index.size >= EXIDX_ENTRY_BYTES;
}

/* An offset of 31 bits from the word itself. */
static uint64_t prel31(uint32_t word, uint64_t place)
{
	return (place + (uint64_t)((int64_t)((uint64_t)word << 33) >> 33)) & UINT32_MAX;
}

static uint32_t word_at(const struct cfi_section *s, uint64_t at)
{
	return at + 4 <= s->size ? load_u32(s->bytes + at, s->swap) : 0;
}

uint64_t exidx_function(const struct exidx *x, uint32_t at)
{
	return prel31(word_at(&x->index, at), x->index.addr + at) & ~UINT64_C(1);
}

/* Instructions, byte by byte. */
struct exidx_code {
	uint8_t bytes[BYTES_MOST];
	size_t n, next;
};

/* The @nr lowest bytes of a word, from the most significant one on. */
static void add_bytes(struct exidx_code *c, uint32_t word, unsigned nr)
{
	while (nr--)
		c->bytes[c->n++] = (uint8_t)(word >> 8 * nr);
}

/* The instructions of an entry of .ARM.extab. */
static bool read_extab(const struct exidx *x, uint64_t addr, struct exidx_code *c)
{
	uint64_t at = addr - x->extab.addr;
	uint32_t word, more;

	if (at >= x->extab.size || x->extab.size - at < 4)
		return false;
	word = word_at(&x->extab, at);
	if (!(word & UINT32_C(1) << 31)) {  /* a personality routine of a language */
		at += 4;
		word = word_at(&x->extab, at);
		more = word >> 24;
		add_bytes(c, word, 3);
	} else if ((word >> 24 & 0xf) == 0) {
		more = 0;
		add_bytes(c, word, 3);
	} else {
		more = word >> 16 & 0xff;
		add_bytes(c, word, 2);
	}
	if (at + 4 + 4 * (uint64_t)more > x->extab.size)
		return false;
	for (uint32_t i = 1; i <= more; i++)
		add_bytes(c, word_at(&x->extab, at + 4 * (uint64_t)i), 4);
	return true;
}

/* The stack as the instructions move along it. */
struct exidx_run {
	struct exidx_code *code;
	struct cfi_row *row;
	int64_t vsp;                 /* from the register row->cfa_reg on */
	bool popped, ended;
};

static uint8_t take(struct exidx_run *r)
{
	/* after the last one there are as many "finish" as needed */
	return r->code->next < r->code->n ? r->code->bytes[r->code->next++] : 0xb0;
}

static bool pop(struct exidx_run *r, uint32_t mask, unsigned first)
{
	for (unsigned reg = first; mask; mask >>= 1, reg++)
		if (mask & 1) {
			r->row->regs[reg] = (struct reg_rule){ .reg = (uint8_t)reg, .kind = REG_OFFSET,
							       .value = (int32_t)r->vsp };
			r->vsp += 4;
		}
	r->popped = true;
	return true;
}

static bool set_vsp(struct exidx_run *r, uint8_t reg)
{
	if (reg == SP || reg == PC || r->popped)
		return false;
	r->row->cfa_reg = reg;
	r->vsp = 0;
	return true;
}

static bool skip_doubles(struct exidx_run *r, unsigned nr, unsigned besides)
{
	r->vsp += 8 * nr + besides;
	return true;
}

static bool big_step(struct exidx_run *r)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && shift < 28; shift += 7) {
		byte = take(r);
		v |= (uint64_t)(byte & 0x7f) << shift;
	}
	r->vsp += 0x204 + ((int64_t)v << 2);
	return !(byte & 0x80);
}

/* Instructions 1011xxxx */
static bool step_1011(struct exidx_run *r, uint8_t op)
{
	uint8_t next;

	switch (op & 0xf) {
	case 0:
		r->ended = true;
		return true;
	case 1:
		next = take(r);
		return next && next < 0x10 && pop(r, next, 0);
	case 2: return big_step(r);
	case 3: return skip_doubles(r, (take(r) & 0xfu) + 1, 4);
	case 4:  /* the signature of the return address */
		r->vsp += 4;
		return true;
	case 5: return true;
	}
	return op & 8 && skip_doubles(r, (op & 7u) + 1, 4);
}

/* Instructions 11xxxxxx: registers of coprocessors, which nobody asks for */
static bool step_11(struct exidx_run *r, uint8_t op)
{
	uint8_t next;

	if ((op & 0xf8) == 0xd0)
		return skip_doubles(r, (op & 7u) + 1, 0);
	if (op == 0xc8 || op == 0xc9 || op == 0xc6)
		return skip_doubles(r, (take(r) & 0xfu) + 1, 0);
	if (op == 0xc7) {
		next = take(r);
		r->vsp += 4 * __builtin_popcount(next & 0xf);
		return next && next < 0x10;
	}
	return op < 0xc6 && skip_doubles(r, (op & 7u) + 1, 0);
}

static bool step(struct exidx_run *r)
{
	uint8_t op = take(r);
	uint32_t mask;

	switch (op >> 4) {
	case 0: case 1: case 2: case 3:
		r->vsp += ((op & 0x3f) << 2) + 4;
		return true;
	case 4: case 5: case 6: case 7:
		r->vsp -= ((op & 0x3f) << 2) + 4;
		return true;
	case 8:
		mask = (op & 0xfu) << 8 | take(r);
		return mask && pop(r, mask, 4);
	case 9: return set_vsp(r, op & 0xf);
	case 10: return pop(r, (2u << (op & 7)) - 1, 4) && (!(op & 8) || pop(r, 1, LR));
	case 11: return step_1011(r, op);
	}
	return step_11(r, op);
}

static bool run(struct exidx_code *code, struct cfi_row *row)
{
	struct exidx_run r = { .code = code, .row = row };

	row->cfa_reg = SP;
	while (!r.ended)
		if (!step(&r) || r.vsp > INT32_MAX / 2 || r.vsp < INT32_MIN / 2)
			return false;
	row->cfa_offset = (int32_t)r.vsp;
	for (size_t i = 0; i <= PC; i++)
		if (row->regs[i].kind == REG_OFFSET)
			row->regs[i].value -= row->cfa_offset;
	return true;
}

bool exidx_row(const struct exidx *x, uint32_t at, struct cfi_row *row, uint64_t *return_register)
{
	uint32_t word = word_at(&x->index, at + 4);
	struct exidx_code code = { .n = 0 };

	*row = (struct cfi_row){ 0 };
	*return_register = UNWIND_REGS;
	if (word == CANNOT_UNWIND)
		return true;
	if (word & UINT32_C(1) << 31)
		add_bytes(&code, word, 3);
	else if (!read_extab(x, prel31(word, x->index.addr + at + 4), &code))
		return false;
	if (!run(&code, row))
		return false;
	*return_register = row->regs[PC].kind == REG_OFFSET ? PC : LR;
	return true;
}
