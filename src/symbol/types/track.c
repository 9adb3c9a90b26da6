/* SPDX-License-Identifier: MIT */
#include "symbol/types/track.h"

#include "symbol/types/offset.h"

struct tracker {
	struct function *f;
	struct scope *const *scopes;
	int outermost, nr_scopes;    /* the scopes from which variables are taken */
	const struct surroundings *in;
	struct state state;
	uint32_t insn;               /* the one that touches `memory` */
	const struct operand *memory;
	Dwarf_Die *type;
	int64_t *offset;
};

static bool is_here(const struct variable *v, const struct scope *scope, uint64_t addr)
{
	return v->everywhere ? addr == scope->start : addr >= v->start && addr < v->end;
}

/* False: enough has been done for this file. */
static bool note_variables(struct tracker *t, uint64_t addr)
{
	for (int i = t->outermost; i < t->nr_scopes; i++) {
		const struct scope *scope = t->scopes[i];

		if (!die_work(t->in->work, scope->variables.n))
			return false;
		for (size_t k = scope->variables.n; k-- > 0;)
			if (is_here(&scope->variables.at[k], scope, addr))
				state_note_variable(&t->state, t->in, addr, &scope->variables.at[k]);
	}
	return die_work(t->in->work, 1);
}

static enum track_result found(struct tracker *t, const Dwarf_Die *type, int64_t offset)
{
	if (offset < 0 || (uint64_t)offset >= die_size(type))
		return TRACK_NOTHING;
	*t->type = *type;
	*t->offset = offset;
	return TRACK_TYPE;
}

static enum track_result look_at_slot(struct tracker *t, const struct insn *insn)
{
	const struct slot_state *slot;
	int64_t distance = 0, at;
	int frame;

	if (!t->in->frame(t->in->ctx, insn->addr, &frame, &distance))
		frame = REG_NONE;
	if (t->memory->reg != frame && t->memory->reg != REG_SP)
		return TRACK_NOTHING;
	at = offset_difference(t->memory->value, distance);
	slot = state_slot(&t->state, at);
	if (!slot) {  /* this instruction may be the first one to store something there */
		state_step(&t->state, t->in, insn);
		slot = state_slot(&t->state, at);
	}
	if (!slot || slot->content.kind == CONTENT_NUMBER)
		return TRACK_NOTHING;
	if (slot->content.kind == CONTENT_CANARY)
		return TRACK_CANARY;
	if (slot->content.kind != CONTENT_TYPE)
		return TRACK_NOTHING;
	return found(t, &slot->content.type, offset_difference(at, slot->at));
}

static enum track_result look(struct tracker *t, const struct insn *insn)
{
	const struct content *c;
	Dwarf_Die type;
	int64_t offset;

	if (t->memory->reg < 0 || t->memory->reg >= NR_REGS)
		return TRACK_NOTHING;
	c = &t->state.regs[t->memory->reg];
	offset = offset_sum(t->memory->value, c->offset);
	switch (c->kind) {
	case CONTENT_TYPE:
		return die_pointee(&c->type, &type) ? found(t, &type, offset) : TRACK_NOTHING;
	case CONTENT_POINTER:
		return found(t, &c->type, offset);
	case CONTENT_CANARY:
		return TRACK_CANARY;
	case CONTENT_UNKNOWN:
	case CONTENT_NUMBER:
		break;
	}
	return look_at_slot(t, insn);
}

static void forget_all(struct state *s)
{
	s->nr_slots = 0;
	for (int i = 0; i < NR_REGS; i++)
		s->regs[i] = (struct content){ .copied_from = REG_NONE };
}

static enum track_result run(struct tracker *t, const struct block_path *path)
{
	forget_all(&t->state);
	for (size_t b = 0; b < path->blocks.n; b++)
		for (uint32_t i = path->blocks.at[b].first; i <= path->blocks.at[b].last; i++) {
			const struct insn *insn = &t->f->insns.list.at[i];

			if (!note_variables(t, insn->addr))
				return TRACK_NOTHING;
			if (i == t->insn)
				return look(t, insn);
			state_step(&t->state, t->in, insn);
		}
	return TRACK_NOTHING;
}

enum track_result track(struct function *f, struct scope *const *scopes, int nr_scopes, uint32_t insn,
			const struct operand *memory, const struct surroundings *in, Dwarf_Die *type,
			int64_t *offset)
{
	struct tracker t = { .f = f, .scopes = scopes, .nr_scopes = nr_scopes, .in = in, .insn = insn,
			     .memory = memory, .type = type, .offset = offset };
	enum track_result result = TRACK_NOTHING;
	uint32_t to = insn, before = insn;
	struct block_path path = { 0 };

	for (t.outermost = nr_scopes - 1; t.outermost >= 0 && result == TRACK_NOTHING; t.outermost--) {
		int64_t from = insns_at(&f->insns, scopes[t.outermost]->start);
		int r;

		if (!die_work(in->work, f->insns.list.n))
			break;
		r = from < 0 ? 1 : function_find_path(f, (uint32_t)from, to, &path);
		if (r == 1 && from >= 0 && before != to) {  /* not through the inner scope, but to what is in it */
			to = before;
			r = function_find_path(f, (uint32_t)from, to, &path);
		}
		if (r < 0)
			break;
		if (r == 1)
			continue;
		result = run(&t, &path);
		before = to;
		to = (uint32_t)from;
	}
	vec_free(&path.blocks);
	return result;
}
