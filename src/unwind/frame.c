/* SPDX-License-Identifier: MIT */
#include "unwind/frame.h"

#include "unwind/expression.h"

/* A register of the caller. */
struct register_change {
	uint16_t reg;
	bool known;
	uint64_t value;
};

struct frame_step {
	const struct unwind_cpu *cpu;
	const struct unwind_found *found;
	struct unwind_memory *m;
	const struct unwind_registers *regs;
	uint64_t cfa;
};

static bool find_cfa(struct frame_step *s)
{
	const struct unwind_rule *rule = s->found->rule;

	if (rule->cfa_is_expression)
		return expression_value(s->found->section, (uint32_t)rule->cfa_offset, s->regs, s->m, NULL, &s->cfa);
	if (!unwind_register_get(s->regs, rule->cfa_reg, &s->cfa))
		return false;
	s->cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if (s->cpu->word == 4)
		s->cfa &= UINT32_MAX;
	return !rule->cfa_in_memory || unwind_memory_read(s->m, s->cfa, s->cpu->word, &s->cfa);
}

static bool find_register(const struct frame_step *s, const struct reg_rule *r, uint64_t *out)
{
	uint64_t addr = s->cfa + (uint64_t)(int64_t)r->value;

	switch (r->kind) {
	case REG_OFFSET: return unwind_memory_read(s->m, addr, s->cpu->word, out);
	case REG_VAL_OFFSET: *out = addr; return true;
	case REG_REGISTER: return unwind_register_get(s->regs, (uint32_t)r->value, out);
	case REG_EXPRESSION:
		return expression_value(s->found->section, (uint32_t)r->value, s->regs, s->m, &s->cfa, &addr) &&
		       unwind_memory_read(s->m, addr, s->cpu->word, out);
	case REG_VAL_EXPRESSION:
		return expression_value(s->found->section, (uint32_t)r->value, s->regs, s->m, &s->cfa, out);
	case REG_AT_REGISTER:
		return unwind_register_get(s->regs, r->base, &addr) &&
		       unwind_memory_read(s->m, addr + (uint64_t)(int64_t)r->value, s->cpu->word, out);
	}
	return false;
}

static enum unwind_end failure(const struct frame_step *s)
{
	return s->m->beyond_stack ? UNWIND_CUT : UNWIND_ERROR;
}

/* The rule for a register; NULL if there is none. */
static const struct reg_rule *rule_of(const struct unwind_rule *rule, unsigned reg)
{
	for (size_t i = 0; i < rule->nr_regs; i++)
		if (rule->regs[i].reg == reg)
			return &rule->regs[i];
	return NULL;
}

static void apply(const struct unwind_cpu *cpu, const struct unwind_rule *rule, const struct register_change *changes,
		  uint64_t cfa, struct unwind_registers *regs)
{
	unwind_register_set(regs, cpu->sp, cfa - cpu->cfa_above_sp);
	for (size_t i = 0; i < rule->nr_regs; i++) {
		regs->at[changes[i].reg] = changes[i].value;
		regs->known[changes[i].reg] = changes[i].known;
	}
}

bool frame_is_outermost(const struct unwind_rule *rule)
{
	const struct reg_rule *return_rule = rule_of(rule, rule->return_register);

	return return_rule ? return_rule->kind == REG_UNDEFINED : rule->return_register >= UNWIND_REGS;
}

enum unwind_end frame_unwind(const struct unwind_cpu *cpu, const struct unwind_found *found, struct unwind_memory *m,
			     bool innermost, struct unwind_registers *regs, uint64_t *cfa)
{
	const struct unwind_rule *rule = found->rule;
	struct frame_step s = { cpu, found, m, regs, 0 };
	struct register_change changes[UNWIND_REGS];
	const struct reg_rule *return_rule = rule_of(rule, rule->return_register);
	uint64_t pc;

	m->beyond_stack = false;
	if (frame_is_outermost(rule))
		return UNWIND_COMPLETE;
	if (!return_rule && !innermost)
		return UNWIND_ERROR;
	if (!find_cfa(&s))
		return failure(&s);
	m->beyond_stack = false;
	if (return_rule && !find_register(&s, return_rule, &pc))
		return failure(&s);
	for (size_t i = 0; i < rule->nr_regs; i++) {
		changes[i] = (struct register_change){ .reg = rule->regs[i].reg };
		changes[i].known = find_register(&s, &rule->regs[i], &changes[i].value);
	}
	apply(cpu, rule, changes, s.cfa, regs);
	if (!unwind_register_get(regs, rule->return_register, &pc))
		return UNWIND_ERROR;
	regs->pc = pc & cpu->address_mask;
	*cfa = s.cfa;
	return regs->pc ? UNWIND_GOES_ON : UNWIND_COMPLETE;
}

bool frame_return_place(const struct unwind_cpu *cpu, const struct unwind_found *found, struct unwind_memory *m,
			const struct unwind_registers *regs, uint64_t *addr)
{
	const struct reg_rule *return_rule = rule_of(found->rule, found->rule->return_register);
	struct frame_step s = { cpu, found, m, regs, 0 };

	if (!return_rule || return_rule->kind != REG_OFFSET || !find_cfa(&s))
		return false;
	*addr = s.cfa + (uint64_t)(int64_t)return_rule->value;
	return true;
}
