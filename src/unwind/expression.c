/* SPDX-License-Identifier: MIT */
#include "unwind/expression.h"

#include <dwarf.h>

enum { STACK_MOST = 64, STEPS_MOST = 1000 };

struct machine {
	const struct unwind_registers *regs;
	struct unwind_memory *memory;
	struct cursor c;
	const uint8_t *code;
	size_t code_size;
	uint64_t stack[STACK_MOST];
	unsigned n;
};

static bool push(struct machine *m, uint64_t v)
{
	if (m->n == STACK_MOST)
		return false;
	m->stack[m->n++] = m->memory->word == 4 ? v & UINT32_MAX : v;
	return true;
}

static bool pop(struct machine *m, uint64_t *v)
{
	if (!m->n)
		return false;
	*v = m->stack[--m->n];
	return true;
}

static bool push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	uint64_t v;

	return unwind_register_get(m->regs, reg, &v) && push(m, v + (uint64_t)offset);
}

static bool push_memory(struct machine *m, unsigned size)
{
	uint64_t addr, v;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	return pop(m, &addr) && unwind_memory_read(m->memory, addr, size, &v) && push(m, v);
}

static bool push_copy(struct machine *m, unsigned index)
{
	return index < m->n && push(m, m->stack[m->n - 1 - index]);
}

/* The operations on the two topmost values; false for any other. */
static bool combine(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case DW_OP_and: *out = a & b; return true;
	case DW_OP_or: *out = a | b; return true;
	case DW_OP_xor: *out = a ^ b; return true;
	case DW_OP_plus: *out = a + b; return true;
	case DW_OP_minus: *out = a - b; return true;
	case DW_OP_mul: *out = a * b; return true;
	case DW_OP_div: *out = sb && sb != -1 ? (uint64_t)(sa / sb) : -a; return sb != 0;
	case DW_OP_mod: *out = b ? a % b : 0; return b != 0;
	case DW_OP_shl: *out = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *out = b < 64 ? a >> b : 0; return true;
	case DW_OP_shra: *out = (uint64_t)(sa >> (b < 64 ? b : 63)); return true;
	case DW_OP_eq: *out = a == b; return true;
	case DW_OP_ne: *out = a != b; return true;
	case DW_OP_lt: *out = sa < sb; return true;
	case DW_OP_le: *out = sa <= sb; return true;
	case DW_OP_gt: *out = sa > sb; return true;
	case DW_OP_ge: *out = sa >= sb; return true;
	}
	return false;
}

static bool jump(struct machine *m, bool wanted)
{
	int16_t by = (int16_t)cur_u16(&m->c);
	int64_t to = m->c.p - m->code + by;

	if (!cur_ok(&m->c) || to < 0 || (uint64_t)to > m->code_size)
		return false;
	if (wanted)
		m->c = cur_new(m->code + to, m->code_size - (size_t)to, 0, m->c.swap, NULL);
	return true;
}

static bool change_stack(struct machine *m, uint8_t op)
{
	uint64_t a, b, out;

	switch (op) {
	case DW_OP_dup: return push_copy(m, 0);
	case DW_OP_over: return push_copy(m, 1);
	case DW_OP_pick: return push_copy(m, cur_u8(&m->c));
	case DW_OP_drop: return pop(m, &a);
	case DW_OP_swap: return pop(m, &a) && pop(m, &b) && push(m, a) && push(m, b);
	case DW_OP_rot:
		return pop(m, &a) && pop(m, &b) && pop(m, &out) && push(m, a) && push(m, out) && push(m, b);
	case DW_OP_abs: return pop(m, &a) && push(m, (int64_t)a < 0 ? -a : a);
	case DW_OP_neg: return pop(m, &a) && push(m, -a);
	case DW_OP_not: return pop(m, &a) && push(m, ~a);
	case DW_OP_plus_uconst: return pop(m, &a) && push(m, a + cur_uleb(&m->c));
	case DW_OP_bra: return pop(m, &a) && jump(m, a != 0);
	case DW_OP_skip: return jump(m, true);
	case DW_OP_nop: return true;
	}
	return pop(m, &b) && pop(m, &a) && combine(op, a, b, &out) && push(m, out);
}

static bool step(struct machine *m)
{
	uint8_t op = cur_u8(&m->c);
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push(m, op - DW_OP_lit0);
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_register(m, op - DW_OP_breg0, cur_sleb(&m->c));
	switch (op) {
	case DW_OP_addr: return push(m, m->memory->word == 8 ? cur_u64(&m->c) : cur_u32(&m->c));
	case DW_OP_const1u: return push(m, cur_u8(&m->c));
	case DW_OP_const1s: return push(m, (uint64_t)(int8_t)cur_u8(&m->c));
	case DW_OP_const2u: return push(m, cur_u16(&m->c));
	case DW_OP_const2s: return push(m, (uint64_t)(int16_t)cur_u16(&m->c));
	case DW_OP_const4u: return push(m, cur_u32(&m->c));
	case DW_OP_const4s: return push(m, (uint64_t)(int32_t)cur_u32(&m->c));
	case DW_OP_const8u:
	case DW_OP_const8s: return push(m, cur_u64(&m->c));
	case DW_OP_constu: return push(m, cur_uleb(&m->c));
	case DW_OP_consts: return push(m, (uint64_t)cur_sleb(&m->c));
	case DW_OP_bregx:
		reg = cur_uleb(&m->c);
		return push_register(m, reg, cur_sleb(&m->c));
	case DW_OP_deref: return push_memory(m, m->memory->word);
	case DW_OP_deref_size: return push_memory(m, cur_u8(&m->c));
	}
	return change_stack(m, op);
}

bool expression_value(const struct cfi_section *s, uint32_t at, const struct unwind_registers *regs,
		      struct unwind_memory *memory, const uint64_t *cfa, uint64_t *out)
{
	struct machine m = { .regs = regs, .memory = memory };
	struct cursor c;

	if (at >= s->size)
		return false;
	c = cfi_cursor(s, (struct cfi_span){ at, (uint32_t)s->size - at });
	m.c = cur_sub(&c, cur_uleb(&c));
	if (!cur_ok(&m.c) || (cfa && !push(&m, *cfa)))
		return false;
	m.code = m.c.p;
	m.code_size = cur_left(&m.c);
	for (unsigned steps = 0; cur_left(&m.c) && steps < STEPS_MOST; steps++)
		if (!step(&m) || !cur_ok(&m.c))
			return false;
	return !cur_left(&m.c) && pop(&m, out);
}
