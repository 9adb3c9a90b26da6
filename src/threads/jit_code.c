/* SPDX-License-Identifier: MIT */
#include "threads/jit_code.h"

#include <sys/mman.h>

#include "base/err.h"

int jit_code_advance(struct jit_code *code, struct jit_source *source, struct maps_pool *pool, uint64_t time,
		     maps_root *maps)
{
	bool timed;
	int r = 0;

	if (!code->opened || (!code->changes && code->nr_late != source->nr_late))
		code->changes = source->open(source, code->dump);
	code->opened = true;
	code->nr_late = source->nr_late;
	if (!code->changes || code->next == code->changes->n)
		return 0;
	timed = time != SONDE_NONE && !code->changes->other_clock;
	if (!timed && !code->next)
		source->untimed(source, code->dump);
	maps_edit_begin(pool);
	for (; code->next < code->changes->n && r >= 0; code->next++) {
		const struct jit_change *c = &code->changes->at[code->next];

		if (timed && c->time > time)
			break;
		r = maps_insert(pool, *maps, &(struct mapping){ .start = c->start, .end = c->end, .pgoff = c->offset,
								.prot = PROT_READ | PROT_EXEC, .binary = code->dump },
				maps) < 0 ? -SONDE_NOMEM : 1;
	}
	maps_edit_end(pool);
	return r;
}

/* Puts [start, end) of @m where no code is. */
static int map_between(struct maps_pool *pool, const struct mapping *m, uint64_t start, uint64_t end, maps_root *maps)
{
	while (start < end) {
		const struct mapping *code = maps_find(*maps, start);
		struct mapping gap = *m;

		if (code && code->binary->kind == BINARY_JITDUMP) {
			start = code->end;
			continue;
		}
		code = maps_next(*maps, start);
		while (code && code->start < end && code->binary->kind != BINARY_JITDUMP)
			code = maps_next(*maps, code->end);
		gap.start = start;
		gap.end = code && code->start < end ? code->start : end;
		start = gap.end;
		if (maps_insert(pool, *maps, &gap, maps) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static bool is_anonymous(const struct mapping *m)
{
	return m->binary->kind == BINARY_JIT || m->binary->kind == BINARY_OTHER;
}

/* Mappings from before the dump. */
static int note_anonymous(struct jit_code *code, struct maps_pool *pool, maps_root maps)
{
	for (const struct mapping *m = maps_next(maps, 0); m; m = maps_next(maps, m->end))
		if ((is_anonymous(m) || m->binary->kind == BINARY_JITDUMP) &&
		    maps_insert(pool, code->anonymous, m, &code->anonymous) < 0)
			return -SONDE_NOMEM;
	return 0;
}

int jit_code_map(struct jit_code *code, struct maps_pool *pool, const struct mapping *m, maps_root *maps)
{
	if (!code->anonymous && note_anonymous(code, pool, *maps) < 0)
		return -SONDE_NOMEM;
	if (!is_anonymous(m)) {
		if (maps_remove(pool, code->anonymous, m->start, m->end, &code->anonymous) < 0)
			return -SONDE_NOMEM;
		return maps_insert(pool, *maps, m, maps);
	}
	/* memory that was mapped before is said again and again: only what is new costs a walk over the code in it */
	for (uint64_t at = m->start, stop; at < m->end; at = stop) {
		const struct mapping *known = maps_find(code->anonymous, at), *next;

		if (known) {
			stop = known->end;
			continue;
		}
		next = maps_next(code->anonymous, at);
		stop = next && next->start < m->end ? next->start : m->end;
		if (map_between(pool, m, at, stop, maps) < 0)
			return -SONDE_NOMEM;
	}
	return maps_insert(pool, code->anonymous, m, &code->anonymous);
}
