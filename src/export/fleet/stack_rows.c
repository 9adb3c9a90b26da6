/* SPDX-License-Identifier: MIT */
#include "export/fleet/stack_rows.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/xxh64.h"
#include "export/build_id_text.h"

int stack_rows_init(struct stack_rows *s, struct fleet_rows *f)
{
	const struct sonde_profile *p = f->x->profile;

	*s = (struct stack_rows){ .f = f, .p = p };
	s->frame_ids = calloc(p->frames.list.n + 1, sizeof(*s->frame_ids));
	s->alone_ids = calloc(p->frames.list.n + 1, sizeof(*s->alone_ids));
	s->stack_ids = calloc(p->stacks.list.n + 1, sizeof(*s->stack_ids));
	return s->frame_ids && s->alone_ids && s->stack_ids ? 0 : -SONDE_NOMEM;
}

void stack_rows_free(struct stack_rows *s)
{
	free(s->frame_ids);
	free(s->alone_ids);
	free(s->stack_ids);
	u64map_free(&s->frames);
	u64map_free(&s->stacks);
	u64map_free(&s->modules);
}

/* ---- modules and frames ---- */

static bool is_jit(const struct binary *b)
{
	return b->kind == BINARY_JIT || b->kind == BINARY_JITDUMP;
}

static const char *module_path(const struct binary *b)
{
	return is_jit(b) ? "[JIT]" : b->name;  /* the numbers of processes tell nothing elsewhere */
}

int stack_rows_add_module(struct stack_rows *s, const struct binary *b, const char *build_id, bool named)
{
	static const char *const kinds[] = {
		[BINARY_FILE] = "user", [BINARY_VDSO] = "vdso", [BINARY_JITDUMP] = "jit", [BINARY_KERNEL] = "kernel",
		[BINARY_MODULE] = "kmod", [BINARY_KSYMBOL] = "bpf", [BINARY_JIT] = "jit", [BINARY_OTHER] = "other",
	};
	struct fleet_module row = { .build_id = build_id, .path = fleet_text(&s->f->texts, module_path(b)),
				    .kind = kinds[b->kind] };
	uint32_t i;

	if (!row.path)
		return -SONDE_NOMEM;
	s->f->texts.room.n = 0;
	put_strz(&s->f->texts.room, row.build_id);
	put_strz(&s->f->texts.room, row.path);
	put_strz(&s->f->texts.room, row.kind);
	row.id = (int64_t)xxh64(s->f->texts.room.p, s->f->texts.room.n);
	i = u64map_get(&s->modules, (uint64_t)row.id);
	if (i == U64MAP_NONE) {
		i = (uint32_t)s->f->modules.n;
		if (vec_push(&s->f->modules, row) < 0 || u64map_set(&s->modules, (uint64_t)row.id, i) < 0)
			return -SONDE_NOMEM;
	}
	s->f->modules.at[i].symbolised |= named;
	return 0;
}

/*
 * Where the function begins in its file; of the kernel, which lies elsewhere after each boot, the distance from the
 * place by which recorders tell where it was loaded. An address outside of files means nothing elsewhere: 0.
 */
static uint64_t function_address(const struct frame *f)
{
	const struct binary *b = f->binary;

	if (!b || is_jit(b))
		return 0;
	if (f->symbol == SYMTAB_NONE)
		return f->addr;
	switch (b->kind) {
	case BINARY_FILE:
	case BINARY_VDSO:
		return symtab_start(f->table, f->symbol);
	case BINARY_KERNEL:
	case BINARY_MODULE:
		return b->ref_addr ? symtab_start(f->table, f->symbol) - b->ref_addr : 0;
	default:
		return 0;
	}
}

/* The id of a frame of the profile, which has a row then; 0 when out of memory. */
static int64_t frame_id(struct stack_rows *s, uint32_t number)
{
	const struct frame *known = &s->p->frames.list.at[number];
	struct sonde_profile_frame of;
	struct fleet_frame row;

	if (s->frame_ids[number])
		return s->frame_ids[number];
	profile_frame(s->p, number, &of);
	row = (struct fleet_frame){
		.function = fleet_text(&s->f->texts, of.symbol ? of.symbol : ""),
		.file = fleet_text(&s->f->texts, of.file ? of.file : ""),
		.module = fleet_text(&s->f->texts, known->binary && is_jit(known->binary) ? "[JIT]" : of.dso_name),
		.build_id = fleet_text(&s->f->texts, known->binary ? build_id_text(known->binary).s : ""),
		.line = of.line,
		.address = function_address(known),
		.inlined = of.inlined,
	};
	if (!row.function || !row.file || !row.module || !row.build_id)
		return 0;
	row.id = fleet_frame_id(&row, &s->f->texts.room);
	if (!row.id || (known->binary && stack_rows_add_module(s, known->binary, row.build_id, of.symbol) < 0))
		return 0;
	if (u64map_get(&s->frames, (uint64_t)row.id) == U64MAP_NONE &&
	    (vec_push(&s->f->frames, row) < 0 || u64map_set(&s->frames, (uint64_t)row.id, 0) < 0))
		return 0;
	return s->frame_ids[number] = row.id;
}

/* ---- stacks ---- */

/* The id of the stack whose frames are the last ones of frame_ids, from `first` on; 0 when out of memory. */
static int64_t add_stack(struct stack_rows *s, size_t first)
{
	struct fleet_rows *f = s->f;
	struct fleet_stack row = { .first = first, .n = f->frame_ids.n - first };

	row.id = fleet_stack_id(f->frame_ids.at + first, row.n, &f->texts.room);
	if (!row.id)
		return 0;
	if (u64map_get(&s->stacks, (uint64_t)row.id) != U64MAP_NONE)
		f->frame_ids.n = first;
	else if (vec_push(&f->stacks, row) < 0 || u64map_set(&s->stacks, (uint64_t)row.id, 0) < 0)
		return 0;
	return row.id;
}

static bool is_outside(const struct stack_rows *s, uint32_t frame)
{
	const struct frame *f = &s->p->frames.list.at[frame];

	return !f->binary && !frame_symbol(f);
}

/* Adds a frame to the stack that begins at `first`. Several outside of all binaries in a row are one. */
static int push_frame(struct stack_rows *s, size_t first, uint32_t frame)
{
	int64_t id = frame_id(s, frame);
	const struct fleet_rows *f = s->f;

	if (!id)
		return -SONDE_NOMEM;
	if (f->frame_ids.n > first && f->frame_ids.at[f->frame_ids.n - 1] == id && is_outside(s, frame))
		return 0;
	return vec_push(&s->f->frame_ids, id);
}

int64_t stack_rows_id(struct stack_rows *s, const struct sonde_profile_cell *c)
{
	int64_t *known = c->stack ? &s->stack_ids[c->stack] : &s->alone_ids[c->frame];
	size_t first = s->f->frame_ids.n;

	if (*known)
		return *known;
	if (!c->stack && push_frame(s, first, c->frame) < 0)
		return 0;
	for (uint32_t at = c->stack; at; at = s->p->stacks.list.at[at].parent)
		if (push_frame(s, first, s->p->stacks.list.at[at].frame) < 0)
			return 0;
	return *known = add_stack(s, first);
}
