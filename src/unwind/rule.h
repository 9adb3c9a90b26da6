/* SPDX-License-Identifier: MIT */
/* rule.h - how one frame is unwound: where its CFA, return address and saved registers are */
#ifndef UNWIND_RULE_H
#define UNWIND_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum reg_rule_kind {
	REG_SAME,                    /* as in the frame itself */
	REG_UNDEFINED,
	REG_OFFSET,                  /* in memory at CFA + value */
	REG_VAL_OFFSET,              /* is CFA + value */
	REG_REGISTER,                /* in register `value` of the frame */
	REG_EXPRESSION,              /* in memory where an expression says */
	REG_VAL_EXPRESSION,          /* as an expression says */
	REG_AT_REGISTER,             /* in memory at register `base` of the frame + value */
};

struct reg_rule {
	uint8_t reg, kind;           /* rules are compared byte by byte: no padding */
	uint16_t base;
	int32_t value;               /* of an expression: its place in the section, where its length begins */
};

struct unwind_rule {
	bool cfa_is_expression;
	bool cfa_in_memory;          /* where register and offset say, not there itself */
	bool signal;                 /* the frame was made for a signal handler: the next one was interrupted */
	bool body_only;              /* does not hold before the registers are saved */
	uint8_t cfa_reg;
	uint8_t return_register;     /* UNWIND_REGS or more: none */
	uint16_t nr_regs;
	int32_t cfa_offset;          /* of an expression: its place in the section */
	struct reg_rule regs[];      /* other than REG_SAME, by number */
};

#endif
