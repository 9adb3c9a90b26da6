/* SPDX-License-Identifier: MIT */
/*
 * callgrind.c - costs by function and line, and calls with what lies below them, for callgrind_annotate and KCachegrind
 *
 * Samples know no numbers of calls: a call has the number of samples in which it stands. A call that stands in one
 * stack several times is counted once for it.
 */
#include "export/callgrind/callgrind.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/u64map.h"
#include "export/named_functions.h"
#include "export/recording_notes.h"

struct cost { uint64_t weight, samples; };

struct caller_cost {
	uint32_t frame;              /* of the caller, at the line of the call */
	uint32_t callee;             /* a function */
	uint32_t last;               /* the cell + 1 that was added last */
	struct cost below;
};

struct callgrind {
	struct export *x;
	const struct sonde_profile *p;
	struct named_functions functions;
	struct cost *self;           /* by frame */
	struct cost total;
	VEC(struct caller_cost) calls;
	struct u64map index;         /* frame << 32 | callee: call */
	struct strpool files;
	bool *defined_functions, *defined_binaries;
	VEC(bool) defined_files;
	uint32_t *order;             /* frames by function and line */
	bool failed;                 /* memory was too short for the name of a file */
};

static void add_cost(struct cost *to, const struct sonde_profile_cell *cell)
{
	to->weight += cell->period;
	to->samples += cell->samples;
}

static int add_call(struct callgrind *w, uint32_t frame, uint32_t callee, uint32_t number)
{
	uint64_t key = (uint64_t)frame << 32 | callee;
	uint32_t i = u64map_get(&w->index, key);

	if (i == U64MAP_NONE) {
		i = (uint32_t)w->calls.n;
		if (vec_push(&w->calls, ((struct caller_cost){ .frame = frame, .callee = callee })) < 0 ||
		    u64map_set(&w->index, key, i) < 0)
			return -SONDE_NOMEM;
	}
	if (w->calls.at[i].last != number + 1)
		add_cost(&w->calls.at[i].below, &w->p->cells.at[number]);
	w->calls.at[i].last = number + 1;
	return 0;
}

static int add_cell(struct callgrind *w, uint32_t number)
{
	const struct sonde_profile_cell *cell = &w->p->cells.at[number];
	const struct sonde_profile_stack *stacks = w->p->stacks.list.at;
	uint32_t frame = cell->stack ? stacks[cell->stack].frame : cell->frame;

	add_cost(&w->self[frame], cell);
	add_cost(&w->total, cell);
	for (uint32_t at = cell->stack; at && stacks[at].parent; at = stacks[at].parent)
		if (add_call(w, stacks[stacks[at].parent].frame, w->functions.of_frame[stacks[at].frame], number) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static int compare_frames(const void *va, const void *vb, void *ctx)
{
	const struct callgrind *w = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	uint32_t fa = w->functions.of_frame[a], fb = w->functions.of_frame[b];

	if (fa != fb)
		return fa < fb ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int compare_calls(const void *va, const void *vb, void *ctx)
{
	const struct caller_cost *a = va, *b = vb;

	if (a->frame != b->frame)
		return compare_frames(&a->frame, &b->frame, ctx);
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* A name of a space of ids: the first time with its text, "fn=(3) main", then "fn=(3)". */
static void put_name(struct callgrind *w, const char *key, uint32_t id, bool *defined, const char *name)
{
	buf_printf(w->x->out, "%s=(%" PRIu32 ")", key, id + 1);
	if (!*defined) {
		buf_char(w->x->out, ' ');
		buf_line(w->x->out, name, strlen(name));
	}
	*defined = true;
	buf_char(w->x->out, '\n');
}

static void put_file(struct callgrind *w, const char *key, const struct named_function *f)
{
	const char *name = f->file ? f->file : "???";
	uint32_t id = strpool_add(&w->files, name, strlen(name));

	while (id != UINT32_MAX && w->defined_files.n <= id)
		if (vec_push(&w->defined_files, false) < 0)
			id = UINT32_MAX;
	if (id == UINT32_MAX)
		w->failed = true;
	else
		put_name(w, key, id, &w->defined_files.at[id], name);
}

/* The binary, file and name of a function. @c: "c" for the target of a call, else "" */
static void put_function(struct callgrind *w, const char *c, uint32_t number)
{
	const struct named_function *f = &w->functions.list.at[number];
	size_t nr_binaries = w->p->tasks->binaries.list.n;
	uint32_t binary = f->binary == NO_BINARY ? (uint32_t)nr_binaries : f->binary;
	const char *path = f->binary == NO_BINARY ? "[unknown]" : w->p->tasks->binaries.list.at[binary]->name;

	put_name(w, *c ? "cob" : "ob", binary, &w->defined_binaries[binary], path);
	put_file(w, *c ? "cfi" : "fl", f);
	put_name(w, *c ? "cfn" : "fn", number, &w->defined_functions[number], f->name);
}

static void put_cost(struct callgrind *w, uint32_t frame, const struct cost *cost)
{
	buf_printf(w->x->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", w->p->frames.list.at[frame].line, cost->weight,
		   cost->samples);
}

static bool has_calls(const struct callgrind *w, size_t call, uint32_t frame)
{
	return call < w->calls.n && w->calls.at[call].frame == frame;
}

/* Frames and calls are in the same order. */
static void put_functions(struct callgrind *w)
{
	uint32_t current = UINT32_MAX;
	size_t call = 0;

	for (size_t i = 0; i < w->p->frames.list.n; i++) {
		uint32_t frame = w->order[i], function = w->functions.of_frame[frame];

		if (!w->self[frame].samples && !has_calls(w, call, frame))
			continue;
		if (function != current) {
			buf_char(w->x->out, '\n');
			put_function(w, "", function);
		}
		current = function;
		if (w->self[frame].samples)
			put_cost(w, frame, &w->self[frame]);
		for (; has_calls(w, call, frame); call++) {
			const struct caller_cost *c = &w->calls.at[call];

			put_function(w, "c", c->callee);
			buf_printf(w->x->out, "calls=%" PRIu64 " 0\n", c->below.samples);
			put_cost(w, frame, &c->below);
		}
	}
}

/* The names of costs are words. */
static void put_event_name(struct callgrind *w, const char *name)
{
	for (; *name; name++)
		buf_char(w->x->out, isalnum((unsigned char)*name) ? *name : '_');
}

static void put_note(void *ctx, const char *text)
{
	struct callgrind *w = ctx;

	buf_str(w->x->out, "desc: Recording: ");
	buf_line(w->x->out, text, strlen(text));
	buf_char(w->x->out, '\n');
}

static int put_head(struct callgrind *w, const struct sonde_profile_event *e)
{
	int r;

	buf_str(w->x->out, "# callgrind format\nversion: 1\ncreator: sonde " SONDE_VERSION "\n");
	r = recording_notes(w->x, put_note, w);
	buf_str(w->x->out, "positions: line\nevents: ");
	put_event_name(w, e ? e->name : "none");
	buf_printf(w->x->out, " Samples\nsummary: %" PRIu64 " %" PRIu64 "\n", w->total.weight, w->total.samples);
	return r;
}

static int make_room(struct callgrind *w)
{
	w->self = calloc(w->p->frames.list.n + 1, sizeof(*w->self));
	w->order = malloc((w->p->frames.list.n + 1) * sizeof(*w->order));
	w->defined_functions = calloc(w->functions.list.n + 1, sizeof(bool));
	w->defined_binaries = calloc(w->p->tasks->binaries.list.n + 1, sizeof(bool));
	if (!w->self || !w->order || !w->defined_functions || !w->defined_binaries)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < w->p->frames.list.n; i++)
		w->order[i] = i;
	return 0;
}

static int put_all(struct callgrind *w, uint32_t event)
{
	const struct sonde_profile_event *e = event < w->p->events.n ? &w->p->events.at[event] : NULL;
	size_t n = 0;
	const uint32_t *cells = e ? event_cells_of(&w->x->cells, event, &n) : NULL;
	int r;

	if (named_functions_make(&w->functions, w->p) < 0 || make_room(w) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (add_cell(w, cells[i]) < 0)
			return -SONDE_NOMEM;
	qsort_r(w->order, w->p->frames.list.n, sizeof(*w->order), compare_frames, w);
	if (w->calls.n)
		qsort_r(w->calls.at, w->calls.n, sizeof(*w->calls.at), compare_calls, w);
	r = put_head(w, e);
	put_functions(w);
	return r < 0 || w->failed ? -SONDE_NOMEM : n > 0;
}

int export_callgrind(struct export *x)
{
	struct callgrind w = { .x = x, .p = x->profile };
	int event = export_event(x), r = event;

	if (r >= 0)
		r = put_all(&w, (uint32_t)event);
	named_functions_free(&w.functions);
	vec_free(&w.calls);
	u64map_free(&w.index);
	strpool_free(&w.files);
	vec_free(&w.defined_files);
	free(w.self);
	free(w.order);
	free(w.defined_functions);
	free(w.defined_binaries);
	return r;
}
