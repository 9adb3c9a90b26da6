/* SPDX-License-Identifier: MIT */
#include "import/firefox_stacks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "import/path.h"

/* A column of numbers. NO_ROW: null, or not there; BAD_ROW: no number that a row can have. */
typedef VEC(int32_t) int_column;
enum { NO_ROW = -1, BAD_ROW = INT32_MIN };

struct func_row { const char *name, *file; const struct binary *binary; };

/* The state of reading on the way to frames. */
struct stack_reading {
	struct firefox_stacks *t;
	const struct firefox_context *context;
	const struct firefox_stacks *strings;  /* the tables that have the strings */
	VEC(struct func_row) funcs;
};

/* ---- columns ---- */

static int32_t row_of(double v)
{
	if (v == floor(v) && v >= NO_ROW && v <= INT32_MAX)
		return (int32_t)v;
	return BAD_ROW;
}

static int read_column(const struct json_member_at *m, int_column *out)
{
	struct json_cursor c = m->at;
	int r = 0, known;
	double v;

	if (!m->found || jcur_peek(&c) != '[')
		return 0;
	for (r = jcur_first(&c, '['); r > 0; r = jcur_next(&c, ']')) {
		known = jcur_number(&c, &v);
		if (known < 0)
			return known;
		if (vec_push(out, known ? row_of(v) : NO_ROW) < 0)
			return -SONDE_NOMEM;
	}
	return r;
}

static int32_t column_at(const int_column *c, size_t row)
{
	return row < c->n ? c->at[row] : NO_ROW;
}

/* The columns of a table. Each of the first n members is read; @at is the place of the table, for messages. */
static int read_columns(struct json_cursor table, struct json_member_at *m, int_column *columns, size_t n)
{
	int r = json_find_members(&table, m, n);

	for (size_t i = 0; i < n && r == 0; i++)
		r = read_column(&m[i], &columns[i]);
	return r;
}

static void free_columns(int_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_free(&columns[i]);
}

/* Says that a row of a table refers to one that another table does not have. */
static void bad_reference(struct stack_reading *r, const struct json_member_at *column, size_t row, int32_t found,
			  size_t rows)
{
	import_bad(r->t->im, SONDE_CORRUPT, jcur_at(&column->at),
		   "row %zu of the column %s: expected a number less than %zu, found %" PRId32, row, column->name, rows,
		   found);
}

/* ---- strings and functions ---- */

static int read_strings(struct firefox_stacks *t, struct json_cursor c)
{
	struct sonde_str text;
	uint32_t number;
	int r;

	for (r = jcur_first(&c, '['); r > 0; r = jcur_next(&c, ']')) {
		if (jcur_text(&c, &text) < 0)
			return -SONDE_CORRUPT;
		number = strpool_add(&t->texts, text.p, text.len);
		if (number == UINT32_MAX || vec_push(&t->strings, strpool_get(&t->texts, number)) < 0)
			return -SONDE_NOMEM;
	}
	return r;
}

static const char *string_at(const struct firefox_stacks *t, int32_t i)
{
	return i >= 0 && (size_t)i < t->strings.n ? t->strings.at[i] : NULL;
}

enum { FUNC_NAME, FUNC_RESOURCE, FUNC_SOURCE, FUNC_FILE, NR_FUNC };

static int add_func(struct stack_reading *r, const struct json_member_at *m, const int_column *func, size_t row,
		    const int_column *lib_of_resource, const int_column *file_of_source)
{
	int32_t resource = column_at(&func[FUNC_RESOURCE], row), source = column_at(&func[FUNC_SOURCE], row), lib;
	struct func_row f = { .name = string_at(r->strings, column_at(&func[FUNC_NAME], row)) };

	if (!f.name)
		bad_reference(r, &m[FUNC_NAME], row, column_at(&func[FUNC_NAME], row), r->strings->strings.n);
	f.file = string_at(r->strings, source >= 0 ? column_at(file_of_source, (size_t)source) :
						     column_at(&func[FUNC_FILE], row));
	lib = resource >= 0 ? column_at(lib_of_resource, (size_t)resource) : NO_ROW;
	if (lib >= 0 && (size_t)lib < r->context->nr_libs)
		f.binary = r->context->libs[lib];
	return vec_push(&r->funcs, f);
}

/* In versions from 70 on a frame has its library; before, it is that of the function's resource. */
static int read_funcs(struct stack_reading *r, struct json_member_at *funcs, struct json_member_at *resources,
		      struct json_member_at *sources)
{
	struct json_member_at m[NR_FUNC] = { [FUNC_NAME] = { .name = "name" },
					     [FUNC_RESOURCE] = { .name = "resource" },
					     [FUNC_SOURCE] = { .name = "source" },
					     [FUNC_FILE] = { .name = "fileName" } };
	struct json_member_at lib = { .name = "lib" }, file = { .name = "filename" };
	int_column func[NR_FUNC] = { 0 }, libs = { 0 }, files = { 0 };
	int e = read_columns(funcs->at, m, func, NR_FUNC);

	if (e == 0 && resources->found)
		e = read_columns(resources->at, &lib, &libs, 1);
	if (e == 0 && sources->found)
		e = read_columns(sources->at, &file, &files, 1);
	for (size_t i = 0; i < func[FUNC_NAME].n && e == 0; i++)
		e = add_func(r, m, func, i, &libs, &files);
	free_columns(func, NR_FUNC);
	vec_free(&libs);
	vec_free(&files);
	return e;
}

/* ---- frames ---- */

enum { FRAME_FUNC, FRAME_LINE, FRAME_DEPTH, FRAME_CATEGORY, FRAME_LIB, NR_FRAME };

static int add_frame(struct stack_reading *r, const struct json_member_at *m, const int_column *frame, size_t row)
{
	int32_t func = column_at(&frame[FRAME_FUNC], row), line = column_at(&frame[FRAME_LINE], row),
		category = column_at(&frame[FRAME_CATEGORY], row), lib = column_at(&frame[FRAME_LIB], row);
	struct named_frame f = { .cpumode = CPUMODE_USER, .inlined = column_at(&frame[FRAME_DEPTH], row) > 0,
				 .line = line > 0 ? (uint32_t)line : 0 };
	const struct func_row *of = func >= 0 && (size_t)func < r->funcs.n ? &r->funcs.at[func] : NULL;
	uint32_t number;

	if (!of)
		bad_reference(r, &m[FRAME_FUNC], row, func, r->funcs.n);
	if (of && of->name)
		f.name = (struct sonde_str){ of->name, strlen(of->name) };
	if (of && of->file)
		f.file = (struct sonde_str){ of->file, strlen(of->file) };
	f.binary = of ? of->binary : NULL;
	if (lib >= 0 && (size_t)lib < r->context->nr_libs)
		f.binary = r->context->libs[lib];
	if (import_is_kernel(f.binary) ||
	    (category >= 0 && (size_t)category < r->context->nr_categories && r->context->is_kernel[category]))
		f.cpumode = CPUMODE_KERNEL;
	number = import_frame(r->t->im, &f);
	return number == HASH_INDEX_NONE ? -SONDE_NOMEM : vec_push(&r->t->frames, number);
}

static int read_frames(struct stack_reading *r, struct json_cursor table)
{
	struct json_member_at m[NR_FRAME] = {
		[FRAME_FUNC] = { .name = "func" }, [FRAME_LINE] = { .name = "line" },
		[FRAME_DEPTH] = { .name = "inlineDepth" }, [FRAME_CATEGORY] = { .name = "category" },
		[FRAME_LIB] = { .name = "lib" },
	};
	int_column frame[NR_FRAME] = { 0 };
	int e = read_columns(table, m, frame, NR_FRAME);

	for (size_t i = 0; i < frame[FRAME_FUNC].n && e == 0; i++)
		e = add_frame(r, m, frame, i);
	free_columns(frame, NR_FRAME);
	return e;
}

/* ---- stacks ---- */

/* A stack that is too long keeps as many rows for each frame: inlined functions have rows of their own. */
enum { INLINED_MOST = 16 };

enum { STACK_FRAME, STACK_PREFIX, STACK_OFFSET, NR_STACK };

/* The row of the stack around this one; NO_ROW: none, BAD_ROW: not one before it. */
static int32_t outer_row(const int_column *stack, size_t row)
{
	int32_t offset = column_at(&stack[STACK_OFFSET], row), prefix = column_at(&stack[STACK_PREFIX], row);

	if (stack[STACK_OFFSET].n)
		prefix = offset == 0 || offset == NO_ROW ? NO_ROW :
			 offset < 0 || (size_t)offset > row ? BAD_ROW : (int32_t)(row - (size_t)offset);
	return prefix == BAD_ROW || (prefix >= 0 && (size_t)prefix >= row) ? BAD_ROW : prefix;
}

/* Rows without an outer stack that makes sense are left out, and so are the samples in them. */
static int add_stack(struct stack_reading *r, const struct json_member_at *m, const int_column *stack, size_t row)
{
	static const struct imported_stack empty;
	struct imported_stack s = { .function = HASH_INDEX_NONE };
	struct firefox_stacks *t = r->t;
	int32_t frame = column_at(&stack[STACK_FRAME], row), outer = outer_row(stack, row);
	bool offsets = stack[STACK_OFFSET].n;

	if (outer == BAD_ROW)
		import_bad(t->im, SONDE_CORRUPT, jcur_at(&m[offsets ? STACK_OFFSET : STACK_PREFIX].at),
			   "row %zu of stackTable: expected the row of its outer stack to be less, found %s %" PRId32,
			   row, offsets ? "offset" : "row",
			   column_at(&stack[offsets ? STACK_OFFSET : STACK_PREFIX], row));
	else if (frame < 0 || (size_t)frame >= t->frames.n)
		bad_reference(r, &m[STACK_FRAME], row, frame, t->frames.n);
	else if (outer < 0 || t->stacks.at[outer].function != HASH_INDEX_NONE)
		if (imported_push(t->im->profile, outer < 0 ? &empty : &t->stacks.at[outer], t->frames.at[frame], &s) <
		    0)
			return -SONDE_NOMEM;
	return vec_push(&t->stacks, s) < 0 || vec_push(&t->prefix, outer) < 0 ? -SONDE_NOMEM :
										vec_push(&t->frame, frame);
}

static int read_stacks(struct stack_reading *r, struct json_cursor table)
{
	struct json_member_at m[NR_STACK] = { [STACK_FRAME] = { .name = "frame" },
					      [STACK_PREFIX] = { .name = "prefix" },
					      [STACK_OFFSET] = { .name = "prefixOffset" } };
	int_column stack[NR_STACK] = { 0 };
	int e = read_columns(table, m, stack, NR_STACK);

	for (size_t i = 0; i < stack[STACK_FRAME].n && e == 0; i++)
		e = add_stack(r, m, stack, i);
	free_columns(stack, NR_STACK);
	return e;
}

/*
 * As many frames as are kept of a stack that is too long. It is walked for each sample, so functions inlined into these
 * frames are bounded too.
 */
static int take_innermost(struct firefox_stacks *t, size_t row, struct imported_stack *out)
{
	struct gathering *p = t->im->profile;
	size_t frames = 0, most = p->stacks.max_frames;

	t->innermost.n = 0;
	for (int32_t at = (int32_t)row; at >= 0 && frames < most && t->innermost.n < INLINED_MOST * most;
	     at = t->prefix.at[at]) {
		uint32_t frame = t->frames.at[t->frame.at[at]];

		if (vec_push(&t->innermost, frame) < 0)
			return -SONDE_NOMEM;
		frames += !p->frames.list.at[frame].inlined;
	}
	return imported_innermost(p, t->innermost.at, t->innermost.n, out);
}

int firefox_stacks_at(struct firefox_stacks *t, double row, uint64_t at, struct imported_stack *out)
{
	struct path empty = { 0 };

	if (row >= 0 && row < (double)t->stacks.n && row == floor(row)) {
		*out = t->stacks.at[(size_t)row];
		if (out->function != HASH_INDEX_NONE)
			return imported_is_too_long(t->im->profile, out) ? take_innermost(t, (size_t)row, out) : 0;
		t->im->nr_bad++;         /* its row of the table has been told */
	} else {
		import_bad(t->im, SONDE_CORRUPT, at, "a sample has stack %g: expected an integer less than %zu", row,
			   t->stacks.n);
	}
	return path_stack(&empty, t->im->profile, out);
}

/* ---- all tables ---- */

bool firefox_stacks_are_in(struct json_cursor c)
{
	struct json_member_at m = { .name = "stackTable" };

	c.err = NULL;
	json_find_members(&c, &m, 1);
	return m.found;
}

int firefox_stacks_read(struct firefox_stacks *t, struct import *im, struct json_cursor c,
			const struct firefox_context *context)
{
	enum { STRINGS, OLD_STRINGS, FRAMES, FUNCS, RESOURCES, SOURCES, STACKS, NR };
	struct json_member_at m[NR] = {
		[STRINGS] = { .name = "stringArray" }, [OLD_STRINGS] = { .name = "stringTable" },
		[FRAMES] = { .name = "frameTable" }, [FUNCS] = { .name = "funcTable" },
		[RESOURCES] = { .name = "resourceTable" }, [SOURCES] = { .name = "sources" },
		[STACKS] = { .name = "stackTable" },
	};
	int all = json_find_members(&c, m, NR), e = 0;
	const struct json_member_at *strings = &m[m[STRINGS].found ? STRINGS : OLD_STRINGS];
	struct stack_reading r = { .t = t, .context = context,
			     .strings = strings->found || !context->shared ? t : context->shared };

	t->im = im;
	if (strings->found)
		e = read_strings(t, strings->at);
	if (e == 0 && m[FUNCS].found)
		e = read_funcs(&r, &m[FUNCS], &m[RESOURCES], &m[SOURCES]);
	if (e == 0 && m[FRAMES].found)
		e = read_frames(&r, m[FRAMES].at);
	if (e == 0 && m[STACKS].found)
		e = read_stacks(&r, m[STACKS].at);
	vec_free(&r.funcs);
	return e ? e : all;
}

void firefox_stacks_free(struct firefox_stacks *t)
{
	strpool_free(&t->texts);
	vec_free(&t->strings);
	vec_free(&t->frames);
	vec_free(&t->stacks);
	vec_free(&t->prefix);
	vec_free(&t->frame);
	vec_free(&t->innermost);
}
