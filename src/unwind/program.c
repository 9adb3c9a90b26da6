/* SPDX-License-Identifier: MIT */
#include "unwind/program.h"

/* DW_CFA_*; the first three have an operand in their low six bits. */
enum {
	ADVANCE_LOC = 0x40, OFFSET = 0x80, RESTORE = 0xc0, LOW_BITS = 0x3f,
	NOP = 0x00, SET_LOC = 0x01, ADVANCE_LOC1 = 0x02, ADVANCE_LOC2 = 0x03, ADVANCE_LOC4 = 0x04,
	OFFSET_EXTENDED = 0x05, RESTORE_EXTENDED = 0x06, UNDEFINED = 0x07, SAME_VALUE = 0x08, REGISTER = 0x09,
	REMEMBER_STATE = 0x0a, RESTORE_STATE = 0x0b, DEF_CFA = 0x0c, DEF_CFA_REGISTER = 0x0d, DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f, EXPRESSION = 0x10, OFFSET_EXTENDED_SF = 0x11, DEF_CFA_SF = 0x12,
	DEF_CFA_OFFSET_SF = 0x13, VAL_OFFSET = 0x14, VAL_OFFSET_SF = 0x15, VAL_EXPRESSION = 0x16,
	MIPS_ADVANCE_LOC8 = 0x1d, NEGATE_RA_STATE_WITH_PC = 0x2c, NEGATE_RA_STATE = 0x2d, GNU_ARGS_SIZE = 0x2e,
	GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* Compilers remember one state at a time. */
enum { REMEMBERED_MOST = 8 };

struct program_run {
	const struct cfi_section *s;
	const struct cfi_cie *cie;
	struct cursor c;
	uint64_t loc, end;
	bool emits;                  /* false: the instructions of the CIE, which have no address */
	struct cfi_row row;
	const struct cfi_row *initial;
	struct cfi_row remembered[REMEMBERED_MOST];
	unsigned nr_remembered;
	cfi_row_fn *fn;
	void *ctx;
};

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

/* Rules of registers that nobody asks for are passed over. */
static bool set_reg(struct program_run *r, uint64_t reg, enum reg_rule_kind kind, int64_t value)
{
	if (reg >= UNWIND_REGS)
		return true;
	if (!fits(value))
		return false;
	r->row.regs[reg] = (struct reg_rule){ .reg = (uint8_t)reg, .kind = (uint8_t)kind, .value = (int32_t)value };
	return true;
}

static bool restore_reg(struct program_run *r, uint64_t reg)
{
	if (reg < UNWIND_REGS)
		r->row.regs[reg] = r->initial ? r->initial->regs[reg] : (struct reg_rule){ .kind = REG_SAME };
	return true;
}

static bool set_cfa(struct program_run *r, uint64_t reg, int64_t offset)
{
	if (reg >= UNWIND_REGS || !fits(offset))
		return false;
	r->row.cfa_is_expression = false;
	r->row.cfa_reg = (uint8_t)reg;
	r->row.cfa_offset = (int32_t)offset;
	return true;
}

static int64_t scaled(const struct program_run *r, int64_t factor)
{
	int64_t v;

	return __builtin_mul_overflow(factor, r->cie->data_align, &v) ? INT64_MAX : v;
}

/* The place of an expression, which is passed over. */
static int64_t take_expression(struct program_run *r)
{
	int64_t at = (int64_t)r->c.at;

	cur_take(&r->c, cur_uleb(&r->c));
	return at;
}

/* 0, or why the run ends; a place before this one or beyond the end is no row. */
static int go_to(struct program_run *r, uint64_t loc)
{
	uint64_t start = r->loc;
	int result = 0;

	if (!r->emits || loc < start)
		return -SONDE_CORRUPT;
	r->loc = loc;
	if (loc > r->end)
		loc = r->end;
	if (loc > start && cur_ok(&r->c))
		result = r->fn(r->ctx, start, loc, &r->row);
	return result;
}

static int advance(struct program_run *r, uint64_t delta)
{
	uint64_t bytes, loc;

	if (__builtin_mul_overflow(delta, r->cie->code_align, &bytes) || __builtin_add_overflow(r->loc, bytes, &loc))
		return -SONDE_CORRUPT;
	return go_to(r, loc);
}

static bool remember(struct program_run *r)
{
	if (r->nr_remembered == REMEMBERED_MOST)
		return false;
	r->remembered[r->nr_remembered++] = r->row;
	return true;
}

static bool recall(struct program_run *r)
{
	if (!r->nr_remembered)
		return false;
	r->row = r->remembered[--r->nr_remembered];
	return true;
}

static bool set_cfa_offset(struct program_run *r, int64_t offset)
{
	return !r->row.cfa_is_expression && set_cfa(r, r->row.cfa_reg, offset);
}

static bool set_cfa_expression(struct program_run *r)
{
	int64_t at = take_expression(r);

	r->row.cfa_is_expression = true;
	r->row.cfa_offset = (int32_t)at;
	return true;
}

/* An instruction that changes the row. */
static bool change_row(struct program_run *r, uint8_t op)
{
	struct cursor *c = &r->c;
	uint64_t reg;

	switch (op) {
	case NOP:
	case NEGATE_RA_STATE:        /* signatures of return addresses are always taken off */
	case NEGATE_RA_STATE_WITH_PC:
		return true;
	case REMEMBER_STATE: return remember(r);
	case RESTORE_STATE: return recall(r);
	case DEF_CFA_EXPRESSION: return set_cfa_expression(r);
	case GNU_ARGS_SIZE: cur_uleb(c); return true;
	case DEF_CFA_OFFSET: return set_cfa_offset(r, (int64_t)cur_uleb(c));
	case DEF_CFA_OFFSET_SF: return set_cfa_offset(r, scaled(r, cur_sleb(c)));
	}
	reg = cur_uleb(c);
	switch (op) {
	case RESTORE_EXTENDED: return restore_reg(r, reg);
	case UNDEFINED: return set_reg(r, reg, REG_UNDEFINED, 0);
	case SAME_VALUE: return set_reg(r, reg, REG_SAME, 0);
	case DEF_CFA: return set_cfa(r, reg, (int64_t)cur_uleb(c));
	case DEF_CFA_SF: return set_cfa(r, reg, scaled(r, cur_sleb(c)));
	case DEF_CFA_REGISTER: return !r->row.cfa_is_expression && set_cfa(r, reg, r->row.cfa_offset);
	case OFFSET_EXTENDED: return set_reg(r, reg, REG_OFFSET, scaled(r, (int64_t)cur_uleb(c)));
	case OFFSET_EXTENDED_SF: return set_reg(r, reg, REG_OFFSET, scaled(r, cur_sleb(c)));
	case GNU_NEGATIVE_OFFSET_EXTENDED: return set_reg(r, reg, REG_OFFSET, scaled(r, -(int64_t)cur_uleb(c)));
	case VAL_OFFSET: return set_reg(r, reg, REG_VAL_OFFSET, scaled(r, (int64_t)cur_uleb(c)));
	case VAL_OFFSET_SF: return set_reg(r, reg, REG_VAL_OFFSET, scaled(r, cur_sleb(c)));
	case REGISTER: return set_reg(r, reg, REG_REGISTER, (int64_t)cur_uleb(c));
	case EXPRESSION: return set_reg(r, reg, REG_EXPRESSION, take_expression(r));
	case VAL_EXPRESSION: return set_reg(r, reg, REG_VAL_EXPRESSION, take_expression(r));
	}
	return false;
}

static int step(struct program_run *r)
{
	uint8_t op = cur_u8(&r->c), low = op & LOW_BITS;

	switch (op & ~LOW_BITS) {
	case ADVANCE_LOC: return advance(r, low);
	case OFFSET: return set_reg(r, low, REG_OFFSET, scaled(r, (int64_t)cur_uleb(&r->c))) ? 0 : -SONDE_CORRUPT;
	case RESTORE: return restore_reg(r, low) ? 0 : -SONDE_CORRUPT;
	}
	switch (op) {
	case SET_LOC:
		return go_to(r, cfi_address(&r->c, r->s, r->cie->encoding, r->s->addr + r->c.at, 0));
	case ADVANCE_LOC1: return advance(r, cur_u8(&r->c));
	case ADVANCE_LOC2: return advance(r, cur_u16(&r->c));
	case ADVANCE_LOC4: return advance(r, cur_u32(&r->c));
	case MIPS_ADVANCE_LOC8: return advance(r, cur_u64(&r->c));
	}
	return change_row(r, op) ? 0 : -SONDE_CORRUPT;
}

static int run_span(struct program_run *r, struct cfi_span span)
{
	int result = 0;

	r->c = cfi_cursor(r->s, span);
	while (result == 0 && cur_left(&r->c) && r->loc < r->end)
		result = step(r);
	return result == 0 && !cur_ok(&r->c) ? -SONDE_CORRUPT : result;
}

int cfi_program_run(const struct cfi_section *s, const struct cfi_fde *fde, cfi_row_fn *fn, void *ctx)
{
	struct program_run r = { .s = s, .cie = &fde->cie, .loc = fde->start, .fn = fn, .ctx = ctx,
			 .row.cfa_reg = CPU_NO_REG };
	struct cfi_row initial;
	int result;

	if (__builtin_add_overflow(fde->start, fde->size, &r.end))
		return -SONDE_CORRUPT;
	result = run_span(&r, fde->cie.program);
	if (result < 0)
		return result;
	initial = r.row;
	r.initial = &initial;
	r.nr_remembered = 0;
	r.emits = true;
	result = run_span(&r, fde->program);
	return result == 0 ? go_to(&r, r.end) : result;
}
