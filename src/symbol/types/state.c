/* SPDX-License-Identifier: MIT */
#include "symbol/types/state.h"

#include "symbol/types/offset.h"

static bool is_reg(int reg)
{
	return reg >= 0 && reg < NR_REGS;
}

static struct slot_state *find_slot(struct state *s, int64_t at)
{
	for (int i = s->nr_slots - 1; i >= 0; i--) {
		struct slot_state *slot = &s->slots[i];

		if (at == slot->at || (slot->compound && at > slot->at &&
				       (uint64_t)offset_difference(at, slot->at) < slot->size))
			return slot;
	}
	return NULL;
}

const struct slot_state *state_slot(const struct state *s, int64_t at)
{
	return find_slot((struct state *)s, at);
}

static void fill_slot(struct state *s, struct slot_state *slot, int64_t at, const struct content *content)
{
	if (!slot && s->nr_slots == SLOTS_MAX)
		return;
	if (!slot)
		slot = &s->slots[s->nr_slots++];
	*slot = (struct slot_state){ .at = at, .content = *content };
	if (content->kind == CONTENT_TYPE) {
		slot->size = die_size(&content->type);
		slot->compound = die_is_compound(&content->type);
	}
}

static void set_type(struct content *c, const Dwarf_Die *type, int64_t offset)
{
	*c = (struct content){ .kind = CONTENT_TYPE, .offset = offset, .type = *type, .copied_from = REG_NONE };
}

static void note_on_stack(struct state *s, const struct variable *v, int64_t at)
{
	struct slot_state *slot = find_slot(s, at);
	struct content content;

	if (slot && slot->content.kind == CONTENT_TYPE && !die_is_better(&slot->content.type, &v->type))
		return;
	set_type(&content, &v->type, 0);
	fill_slot(s, slot, at, &content);
}

/* A register that was copied holds the same: a better type of the copy is one of the original too. */
static void copy_back(struct state *s, const struct content *before, const Dwarf_Die *type)
{
	struct content *original;

	if (!is_reg(before->copied_from) || before->kind != CONTENT_TYPE)
		return;
	original = &s->regs[before->copied_from];
	if (original->kind == CONTENT_TYPE && die_is_same(&original->type, &before->type) &&
	    die_is_better(&original->type, type))
		original->type = *type;
}

static void note_in_reg(struct state *s, const struct variable *v)
{
	struct content *c = &s->regs[v->reg], before = *c;

	if (v->place == VARIABLE_AT_REG) {
		if (c->kind == CONTENT_TYPE ||
		    (c->kind == CONTENT_POINTER && !die_is_better(&c->type, &v->type)))
			return;
		set_type(c, &v->type, offset_difference(0, v->offset));
		c->kind = CONTENT_POINTER;
		return;
	}
	if (c->kind == CONTENT_TYPE && !die_is_better(&c->type, &v->type))
		return;
	set_type(c, &v->type, offset_difference(0, v->offset));
	c->copied_from = before.copied_from;
	copy_back(s, &before, &v->type);
}

void state_note_variable(struct state *s, const struct surroundings *in, uint64_t addr, const struct variable *v)
{
	int64_t distance = 0;
	int frame;

	if (v->place == VARIABLE_AT_ADDRESS)
		return;
	if (v->place == VARIABLE_ON_FRAME) {
		note_on_stack(s, v, v->offset);
		return;
	}
	if (!in->frame(in->ctx, addr, &frame, &distance))
		frame = REG_NONE;
	if (v->place == VARIABLE_AT_REG && (v->reg == frame || v->reg == REG_SP))
		note_on_stack(s, v, offset_difference(v->offset, distance));
	else if (is_reg(v->reg) && v->reg != REG_SP)
		note_in_reg(s, v);
}

static void forget(struct content *c)
{
	*c = (struct content){ .copied_from = REG_NONE };
}

/* Only the registers that the called function has to keep are known afterwards. */
static void step_call(struct state *s, const struct surroundings *in, const struct insn *insn)
{
	static const int8_t lost[] = { 0, 1, 2, 4, 5, 8, 9, 10, 11 };
	Dwarf_Die type;

	for (size_t i = 0; i < sizeof(lost); i++)
		forget(&s->regs[lost[i]]);
	if (insn->target && in->result(in->ctx, insn->target, &type))
		set_type(&s->regs[0], &type, 0);
}

static bool is_pointer_content(const struct content *c)
{
	return c->kind == CONTENT_POINTER || (c->kind == CONTENT_TYPE && die_is_pointer(&c->type));
}

/* Sums with pointers that a typedef names are followed no further, as with perf: that is often where arrays begin. */
static bool can_move(const struct content *c)
{
	Dwarf_Die type = c->type;

	return c->kind == CONTENT_POINTER || (c->kind == CONTENT_TYPE && dwarf_tag(&type) == DW_TAG_pointer_type);
}

/* A number that is known, of an operand; -1 stands for one that is not. */
static int64_t number_of(const struct state *s, const struct operand *from)
{
	if (from->kind == OPERAND_IMM)
		return from->value;
	if (from->kind == OPERAND_REG && is_reg(from->reg) && s->regs[from->reg].kind == CONTENT_NUMBER)
		return s->regs[from->reg].offset;
	return -1;
}

static void step_sum(struct state *s, const struct insn *insn)
{
	bool known = insn->from.kind == OPERAND_IMM ||
		     (insn->from.kind == OPERAND_REG && is_reg(insn->from.reg) &&
		      s->regs[insn->from.reg].kind == CONTENT_NUMBER);
	int64_t number = number_of(s, &insn->from);
	struct content *c;

	if (insn->to.kind != OPERAND_REG || !is_reg(insn->to.reg))
		return;
	c = &s->regs[insn->to.reg];
	c->copied_from = REG_NONE;
	if (!known && insn->kind == INSN_ADD)
		return;
	if (can_move(c) || c->kind == CONTENT_NUMBER)
		c->offset = insn->kind == INSN_ADD ? offset_sum(c->offset, number) :
						     offset_difference(c->offset, number);
}

static void step_lea(struct state *s, const struct surroundings *in, const struct insn *insn)
{
	struct content source, *c;
	const struct slot_state *slot;
	int64_t distance = 0, offset;
	Dwarf_Die type, member;
	int frame;

	if (insn->to.kind != OPERAND_REG || !is_reg(insn->to.reg) || insn->from.kind != OPERAND_MEMORY ||
	    !is_reg(insn->from.reg))
		return;
	source = s->regs[insn->from.reg];
	c = &s->regs[insn->to.reg];
	forget(c);
	if (!in->frame(in->ctx, insn->addr, &frame, &distance))
		frame = REG_NONE;
	if (insn->from.reg == frame || insn->from.reg == REG_SP) {
		offset = offset_difference(insn->from.value, distance);
		slot = find_slot(s, offset);
		if (!slot || slot->content.kind == CONTENT_NUMBER || slot->content.kind == CONTENT_CANARY)
			return;
		set_type(c, &slot->content.type, offset_difference(offset, slot->at));
		c->kind = CONTENT_POINTER;
		return;
	}
	offset = offset_sum(insn->from.value, source.offset);
	type = source.type;
	if (!can_move(&source) || (source.kind == CONTENT_TYPE && !die_pointee(&source.type, &type)) ||
	    !die_member_type(&type, offset, &member, in->work))
		return;
	*c = source;
	c->offset = offset;
	c->copied_from = REG_NONE;
}

static void step_move_regs(struct state *s, const struct insn *insn)
{
	const struct operand *from = &insn->from;
	struct content *c = &s->regs[insn->to.reg];

	if (from->kind == OPERAND_IMM) {
		*c = (struct content){ CONTENT_NUMBER, from->value, .copied_from = REG_NONE };
	} else if (from->kind == OPERAND_REG && is_reg(from->reg) && s->regs[from->reg].kind) {
		*c = s->regs[from->reg];
		c->copied_from = c->kind == CONTENT_TYPE || c->kind == CONTENT_POINTER ? from->reg : REG_NONE;
	} else {
		forget(c);
	}
}

/* From the stack: what was put there, or a member of it. */
static void load_slot(struct state *s, const struct surroundings *in, struct content *c, int64_t at)
{
	const struct slot_state *slot = find_slot(s, at);
	Dwarf_Die member;

	if (slot && !slot->compound)
		*c = slot->content;
	else if (slot && die_member_type(&slot->content.type, offset_difference(at, slot->at), &member, in->work))
		set_type(c, &member, 0);
	else
		forget(c);
	c->copied_from = REG_NONE;
}

/* Through a register that holds a pointer: a member of what it points to. */
static bool load_through(const struct surroundings *in, struct content *c, const struct content *base,
			 int64_t displacement)
{
	Dwarf_Die target, member;

	if (base->kind == CONTENT_TYPE) {
		if (!die_pointee(&base->type, &target))
			return false;
	} else if (base->kind == CONTENT_POINTER) {
		target = base->type;
	} else {
		return false;
	}
	if (!die_member_type(&target, offset_sum(displacement, base->offset), &member, in->work))
		return false;
	set_type(c, &member, 0);
	return true;
}

static void step_load(struct state *s, const struct surroundings *in, const struct insn *insn, int frame,
		      int64_t distance)
{
	const struct operand *from = &insn->from;
	struct content *c = &s->regs[insn->to.reg], loaded;
	Dwarf_Die type, member;
	int64_t offset;

	if (from->segment != SEGMENT_NONE) {
		forget(c);
		if (operand_is_canary(from))
			c->kind = CONTENT_CANARY;
	} else if (is_reg(from->reg) && (from->reg == frame || from->reg == REG_SP)) {
		load_slot(s, in, c, offset_difference(from->value, distance));
	} else if (from->reg == REG_PC && in->global(in->ctx, (uint64_t)from->value, &type, &offset) &&
		   die_member_type(&type, offset, &member, in->work)) {
		set_type(c, &member, 0);
	} else if ((is_reg(from->reg) && load_through(in, &loaded, &s->regs[from->reg], from->value)) ||
		   (is_reg(from->index) && load_through(in, &loaded, &s->regs[from->index], from->value))) {
		*c = loaded;
	} else {
		forget(c);
	}
}

static void step_store(struct state *s, const struct insn *insn, int frame, int64_t distance)
{
	const struct content *c;
	struct slot_state *slot;
	int64_t at;

	if (insn->from.kind != OPERAND_REG || !is_reg(insn->from.reg) || !is_reg(insn->to.reg))
		return;
	c = &s->regs[insn->from.reg];
	if (!c->kind || (insn->to.reg != frame && insn->to.reg != REG_SP))
		return;
	at = offset_difference(insn->to.value, distance);
	slot = find_slot(s, at);
	if (!slot || !slot->compound)
		fill_slot(s, slot, at, c);
}

static void step_move(struct state *s, const struct surroundings *in, const struct insn *insn)
{
	bool to_reg = insn->to.kind == OPERAND_REG, to_memory = insn->to.kind == OPERAND_MEMORY;
	int64_t distance = 0;
	int frame;

	if (to_reg && !is_reg(insn->to.reg))
		return;
	if (!in->frame(in->ctx, insn->addr, &frame, &distance))
		frame = REG_NONE;
	if (to_reg && insn->from.kind == OPERAND_MEMORY)
		step_load(s, in, insn, frame, distance);
	else if (to_reg)
		step_move_regs(s, insn);
	else if (to_memory)
		step_store(s, insn, frame, distance);
}

void state_step(struct state *s, const struct surroundings *in, const struct insn *insn)
{
	struct content *c = insn->to.kind == OPERAND_REG && is_reg(insn->to.reg) ? &s->regs[insn->to.reg] : NULL;

	switch (insn->kind) {
	case INSN_CALL:
		step_call(s, in, insn);
		break;
	case INSN_ADD:
	case INSN_SUB:
		step_sum(s, insn);
		break;
	case INSN_LEA:
		step_lea(s, in, insn);
		break;
	case INSN_MOV:
		step_move(s, in, insn);
		break;
	case INSN_XOR:
		if (c && insn->from.kind == OPERAND_REG && insn->from.reg == insn->to.reg)
			*c = (struct content){ CONTENT_NUMBER, 0, .copied_from = REG_NONE };
		break;
	case INSN_CHANGE:
		if (c && is_pointer_content(c))
			forget(c);
		break;
	}
}
