/* SPDX-License-Identifier: MIT */
#include "symbol/types/function.h"

#include <sonde/types.h>
#include <string.h>

struct function *function_new(const uint8_t *code, uint64_t start, uint64_t end)
{
	struct function *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->start = start;
	f->end = end;
	if (insns_decode(&f->insns, code, end - start, start) == 0)
		f->mark = calloc(f->insns.list.n + 1, sizeof(*f->mark));
	if (!f->mark) {
		function_free(f);
		return NULL;
	}
	return f;
}

void function_free(struct function *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->scopes.n; i++) {
		vec_free(&f->scopes.at[i]->variables);
		free(f->scopes.at[i]);
	}
	vec_free(&f->scopes);
	vec_free(&f->insns.list);
	vec_free(&f->steps);
	free(f->mark);
	free(f);
}

struct scope *function_scope(struct function *f, Dwarf_Die *die)
{
	struct scope *s;

	for (size_t i = 0; i < f->scopes.n; i++)
		if (die_is_same(&f->scopes.at[i]->die, die))
			return f->scopes.at[i];
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->die = *die;
	if (!scope_start(die, &s->start) || scope_collect(s) < 0 || vec_push(&f->scopes, s) < 0) {
		vec_free(&s->variables);
		free(s);
		return NULL;
	}
	return s;
}

/* The blocks of a search are a queue: a step that begins where another one came by is not worth a look. */
static int add_step(struct function *f, int64_t first, uint32_t before)
{
	if (first < 0 || f->mark[first] == f->round)
		return 0;
	return vec_push(&f->steps, ((struct block_step){ (uint32_t)first, (uint32_t)first, before }));
}

/* Adds the places where a jump leads to. */
static int follow_jump(struct function *f, uint32_t at, uint32_t before)
{
	const struct insn *insn = &f->insns.list.at[at];
	int r = insn->target ? add_step(f, insns_at(&f->insns, insn->target), before) : 0;

	if (r == 0 && insn->kind == INSN_BRANCH && at + 1 < f->insns.list.n)
		r = add_step(f, at + 1, before);
	return r;
}

/* Goes on from the beginning of a step to its end. 1: `to` is in it */
static int walk_step(struct function *f, uint32_t number, uint32_t to)
{
	uint32_t at = f->steps.at[number].first;

	for (; at < f->insns.list.n && f->mark[at] != f->round; at++) {
		const struct insn *insn = &f->insns.list.at[at];

		f->mark[at] = f->round;
		f->steps.at[number].last = at;
		if (at == to)
			return 1;
		if (insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH)
			return follow_jump(f, at, number);
		if (insn->kind == INSN_RET)
			break;
	}
	return 0;
}

static int put_before(struct block_path *path, struct code_block block)
{
	if (vec_reserve(&path->blocks, 1) < 0)
		return -SONDE_NOMEM;
	memmove(path->blocks.at + 1, path->blocks.at, path->blocks.n * sizeof(block));
	path->blocks.at[0] = block;
	path->blocks.n++;
	return 0;
}

/* The last instruction of the way is the first one of the path, and is run through once. */
static int prepend(struct function *f, uint32_t number, struct block_path *path)
{
	struct block_step *last = &f->steps.at[number];
	bool joins = path->blocks.n && path->blocks.at[0].first == last->last;
	int r = 0;

	if (!joins || last->first != last->last)
		r = put_before(path, (struct code_block){ last->first, last->last - joins });
	while (r == 0 && number != last->before) {
		number = last->before;
		last = &f->steps.at[number];
		r = put_before(path, (struct code_block){ last->first, last->last });
	}
	return r;
}

int function_find_path(struct function *f, uint32_t from, uint32_t to, struct block_path *path)
{
	int r;

	f->round++;
	f->steps.n = 0;
	r = add_step(f, from, 0);
	for (uint32_t i = 0; i < f->steps.n && r == 0; i++) {
		r = walk_step(f, i, to);
		if (r == 1)
			return prepend(f, i, path);
	}
	return r < 0 ? r : 1;
}
