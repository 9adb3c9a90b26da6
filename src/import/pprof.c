/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - profile.proto of pprof: tables by number, and samples of several values
 *
 * Field numbers: github.com/google/pprof, proto/profile.proto. Tables may come behind the samples that refer to them,
 * so the fields of one number are read after those of another. An event is a sample type; one named "samples" counts
 * the samples of the type behind it.
 */
#include "import/pprof.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/profile/profile_tasks.h"
#include "base/bytes.h"
#include "base/protobuf_read.h"
#include "base/str.h"
#include "import/path.h"

enum pprof_field {
	SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE, DEFAULT_SAMPLE_TYPE = 14, FIELD_MAX = 15,
};

#define NO_TYPE UINT32_MAX

/* A sample costs as many steps for each of its locations: no compiler inlines so deep. */
enum { LINES_MAX = 128 };

struct value_type {
	struct sonde_str type, unit;
	uint32_t event;              /* NO_TYPE: it counts the samples of the next type */
	uint32_t counts;             /* the type that counts the samples of this one; NO_TYPE: none */
};

struct mapping_row { uint64_t start, limit, offset; const struct binary *binary; };
struct function_row { uint64_t name, file; };

/* frames[first] is the innermost of n. */
struct location_row { size_t first, n; };

struct pprof_import {
	struct import *im;
	VEC(struct sonde_str) strings;
	VEC(struct value_type) types;
	VEC(struct mapping_row) mappings;
	VEC(struct function_row) functions;
	VEC(struct location_row) locations;
	VEC(uint32_t) frames;        /* of locations */
	struct u64map mapping_of_id, function_of_id, location_of_id;
	struct sonde_str usual_type; /* empty: not given */
	struct sonde_str comm;       /* of samples that do not tell their thread */
	uint64_t task_key[3];        /* of the sample before: comm, pid, tid as they stand in the file */
	uint32_t task;
	bool has_task;
	struct path path;
	VEC(uint64_t) stack;         /* of the sample at hand: ids of locations, the innermost first */
	VEC(int64_t) values;
};

static const char *const field_names[] = { [SAMPLE_TYPE] = "sample type", [SAMPLE] = "sample", [MAPPING] = "mapping",
					   [LOCATION] = "location", [FUNCTION] = "function",
					   [STRING_TABLE] = "string" };

static struct cursor cursor_of(const char *text, size_t size, struct sonde_error *err)
{
	return cur_new(text, size, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, err);
}

/* ---- recognising ---- */

/* Whether a message has fields up to @most only; one that the head cuts off may have more. */
static bool has_fields(struct cursor c, uint32_t most, bool may_be_cut)
{
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0)
		if (f.number > most)
			return false;
	return r == 0 || may_be_cut;
}

static bool is_message(const struct pb_field *f)
{
	static const uint8_t most[] = { [SAMPLE_TYPE] = 2, [SAMPLE] = 3, [MAPPING] = 10, [LOCATION] = 5,
					[FUNCTION] = 5 };

	if (f->number > FIELD_MAX)
		return false;
	if (f->number <= FUNCTION)
		return f->wire == 2 && has_fields(f->body, most[f->number], false);
	return f->number == STRING_TABLE ? f->wire == 2 : true;
}

static bool is_pprof(const char *text, size_t size, bool whole)
{
	struct cursor c = cursor_of(text, size, NULL);
	struct pb_field f;
	bool messages = false;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		if (!is_message(&f))
			return false;
		messages |= f.number <= FUNCTION;
	}
	return messages && (r == 0 || !whole || size >= 64);
}

/* ---- tables ---- */

/* A string of the table. */
static struct sonde_str string_at(struct pprof_import *w, uint64_t i, uint64_t at)
{
	if (i < w->strings.n)
		return w->strings.at[i];
	if (i)
		import_bad(w->im, SONDE_CORRUPT, at, "string %" PRIu64 ": expected less than %zu", i, w->strings.n);
	return (struct sonde_str){ "", 0 };
}

/* Notes row @i of a table under its id. */
static int number_row(struct pprof_import *w, struct u64map *of_id, uint64_t id, size_t i, const struct pb_field *f)
{
	if (!id || u64map_get(of_id, id) != U64MAP_NONE) {
		import_bad(w->im, SONDE_CORRUPT, f->at, "%s: expected an id of its own, found %" PRIu64,
			   field_names[f->number], id);
		return id ? 0 : -SONDE_CORRUPT;
	}
	return i >= U64MAP_NONE ? -SONDE_NOMEM : u64map_set(of_id, id, (uint32_t)i);
}

static int take_type(struct pprof_import *w, const struct pb_field *of)
{
	struct value_type t = { .event = NO_TYPE, .counts = NO_TYPE };
	struct cursor c = of->body;
	uint64_t type = 0, unit = 0;
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		type = f.number == 1 ? f.value : type;
		unit = f.number == 2 ? f.value : unit;
	}
	t.type = string_at(w, type, of->at);
	t.unit = string_at(w, unit, of->at);
	return r < 0 ? r : vec_push(&w->types, t);
}

static int take_mapping(struct pprof_import *w, const struct pb_field *of)
{
	struct mapping_row m = { 0 };
	struct cursor c = of->body;
	uint64_t id = 0, file = 0, build_id = 0;
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: m.start = f.value; break;
		case 3: m.limit = f.value; break;
		case 4: m.offset = f.value; break;
		case 5: file = f.value; break;
		case 6: build_id = f.value; break;
		}
	}
	if (r == 0)
		r = number_row(w, &w->mapping_of_id, id, w->mappings.n, of);
	if (r < 0)
		return r == -SONDE_NOMEM ? r : 0;
	if (string_at(w, file, of->at).len) {
		m.binary = import_binary(w->im, string_at(w, file, of->at), string_at(w, build_id, of->at));
		if (!m.binary)
			return -SONDE_NOMEM;
	}
	return vec_push(&w->mappings, m);
}

static int take_function(struct pprof_import *w, const struct pb_field *of)
{
	struct function_row row = { 0 };
	struct cursor c = of->body;
	uint64_t id = 0, system_name = 0;
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: row.name = f.value; break;
		case 3: system_name = f.value; break;
		case 4: row.file = f.value; break;
		}
	}
	row.name = row.name ? row.name : system_name;
	if (r == 0)
		r = number_row(w, &w->function_of_id, id, w->functions.n, of);
	return r == 0 ? vec_push(&w->functions, row) : r == -SONDE_NOMEM ? r : 0;
}

/* One function of a location. @last: the others are inlined into it. */
static int add_line(struct pprof_import *w, struct named_frame *frame, struct cursor c, bool last, uint64_t at)
{
	const struct function_row *row = NULL;
	struct pb_field f;
	uint32_t number;
	uint64_t id = 0;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2)
			frame->line = f.value <= UINT32_MAX ? (uint32_t)f.value : 0;
	}
	number = u64map_get(&w->function_of_id, id);
	if (number != U64MAP_NONE)
		row = &w->functions.at[number];
	else
		import_bad(w->im, SONDE_CORRUPT, at,
			   "a line refers to function %" PRIu64 ", which the file does not have", id);
	frame->name = row ? string_at(w, row->name, at) : (struct sonde_str){ "", 0 };
	frame->file = row ? string_at(w, row->file, at) : (struct sonde_str){ "", 0 };
	frame->inlined = !last;
	number = import_frame(w->im, frame);
	return number == HASH_INDEX_NONE ? -SONDE_NOMEM : vec_push(&w->frames, number);
}

/* An address without a function. */
static int add_address(struct pprof_import *w, struct named_frame *frame)
{
	uint32_t number = import_frame(w->im, frame);

	return number == HASH_INDEX_NONE ? -SONDE_NOMEM : vec_push(&w->frames, number);
}

static void take_address(struct pprof_import *w, struct named_frame *frame, uint64_t address, uint64_t mapping,
			 uint64_t at)
{
	uint32_t number = mapping ? u64map_get(&w->mapping_of_id, mapping) : U64MAP_NONE;
	const struct mapping_row *m;

	frame->addr = address;
	if (mapping && number == U64MAP_NONE)
		import_bad(w->im, SONDE_CORRUPT, at,
			   "a location refers to mapping %" PRIu64 ", which the file does not have", mapping);
	if (number == U64MAP_NONE)
		return;
	m = &w->mappings.at[number];
	frame->binary = m->binary;
	if (import_is_kernel(m->binary))
		frame->cpumode = CPUMODE_KERNEL;
	else if (m->binary && address >= m->start && (address < m->limit || !m->limit))
		frame->addr = address - m->start + m->offset;
	frame->is_offset = true;
}

static int add_frames(struct pprof_import *w, struct cursor c, struct named_frame *frame, size_t lines, uint64_t at)
{
	struct pb_field f;
	int r = lines ? 0 : add_address(w, frame);

	while (r == 0 && lines && pb_next(&c, &f) > 0)
		if (f.number == 4 && f.wire == 2)
			r = add_line(w, frame, f.body, --lines == 0, at);
	return r;
}

static int take_location(struct pprof_import *w, const struct pb_field *of)
{
	struct named_frame frame = { .cpumode = CPUMODE_USER };
	struct location_row row = { .first = w->frames.n };
	struct cursor c = of->body;
	uint64_t id = 0, mapping = 0, address = 0;
	size_t lines = 0;
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		switch (f.number) {
		case 1: id = f.value; break;
		case 2: mapping = f.value; break;
		case 3: address = f.value; break;
		case 4: lines += f.wire == 2; break;
		}
	}
	if (r == 0)
		r = number_row(w, &w->location_of_id, id, w->locations.n, of);
	if (r < 0)
		return r == -SONDE_NOMEM ? r : 0;
	if (lines > LINES_MAX) {
		import_bad(w->im, SONDE_CORRUPT, of->at, "a location has %zu functions: expected at most %d", lines,
			   LINES_MAX);
		return 0;
	}
	take_address(w, &frame, address, mapping, of->at);
	r = add_frames(w, of->body, &frame, lines, of->at);
	row.n = w->frames.n - row.first;
	return r < 0 ? r : vec_push(&w->locations, row);
}

/* Takes the fields of one number. 0, or a failure that ends the file. */
static int take_all(struct pprof_import *w, uint32_t number,
		    int (*take)(struct pprof_import *w, const struct pb_field *f))
{
	struct cursor c = cursor_of(w->im->text, w->im->size, w->im->err);
	struct pb_field f;
	int r = 0, next = 0;

	while (r == 0 && (next = pb_next(&c, &f)) > 0) {
		if (f.number != number)
			continue;
		if (f.wire == 2 || number == DEFAULT_SAMPLE_TYPE)
			r = take(w, &f);
		else
			import_bad(w->im, SONDE_CORRUPT, f.at, "%s: expected a message, found a number",
				   field_names[number]);
		if (r == -SONDE_CORRUPT || r == -SONDE_TRUNCATED)
			r = 0;  /* its message is noted: it has failed, not the file */
	}
	return r;
}

static int take_string(struct pprof_import *w, const struct pb_field *f)
{
	return vec_push(&w->strings, pb_string(f));
}

static int take_usual_type(struct pprof_import *w, const struct pb_field *f)
{
	w->usual_type = string_at(w, f->value, f->at);
	return 0;
}

/* ---- events ---- */

static bool counts_next(const struct pprof_import *w, size_t i)
{
	const struct value_type *t = &w->types.at[i];

	return i + 1 < w->types.n && (str_is(t->type, "samples") || str_ends(t->type, " samples")) &&
	       str_is(t->unit, "count") && !str_ends(t[1].type, "samples");
}

static int add_event(struct pprof_import *w, struct value_type *t)
{
	if (t->event == NO_TYPE)
		t->event = imported_event(w->im->profile, t->type, str_is(t->unit, "nanoseconds"));
	return t->event == UINT32_MAX ? -SONDE_NOMEM : 0;
}

/* The first event is the usual type: pprof's own choice is the last one, if the file has none. */
static int add_events(struct pprof_import *w)
{
	struct value_type *usual = w->types.n ? &w->types.at[w->types.n - 1] : NULL;
	int r;

	for (size_t i = 0; i < w->types.n; i++) {
		if (w->usual_type.len && str_equal(w->types.at[i].type, w->usual_type) && !counts_next(w, i))
			usual = &w->types.at[i];
		if (counts_next(w, i))
			w->types.at[i + 1].counts = (uint32_t)i;
	}
	r = usual ? add_event(w, usual) : 0;
	for (size_t i = 0; i < w->types.n && r == 0; i++)
		if (!counts_next(w, i))
			r = add_event(w, &w->types.at[i]);
	return r;
}

/* ---- samples ---- */

struct labels {
	struct sonde_str comm;
	int64_t pid, tid;
};

/* A number, or its digits as a text. */
static int64_t number_of(uint64_t number, struct sonde_str text)
{
	int64_t v = 0;

	if (!text.len)
		return number <= INT32_MAX ? (int64_t)number : -1;
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || v > INT32_MAX / 10)
			return -1;
		v = v * 10 + (text.p[i] - '0');
	}
	return v <= INT32_MAX ? v : -1;
}

static int take_label(struct pprof_import *w, struct cursor c, struct labels *l, uint64_t at)
{
	uint64_t key = 0, text = 0, number = 0;
	struct sonde_str name, value;
	struct pb_field f;
	int r;

	while ((r = pb_next(&c, &f)) > 0) {
		key = f.number == 1 ? f.value : key;
		text = f.number == 2 ? f.value : text;
		number = f.number == 3 ? f.value : number;
	}
	name = string_at(w, key, at);
	value = string_at(w, text, at);
	if (str_is(name, "comm") || (str_is(name, "thread") && !l->comm.len))
		l->comm = value;
	else if (str_is(name, "pid"))
		l->pid = number_of(number, value);
	else if (str_is(name, "tid") || str_is(name, "thread_id"))
		l->tid = number_of(number, value);
	return r;
}

static int take_numbers(struct pprof_import *w, struct pb_field *f)
{
	uint64_t v;
	int r, pushed = 0;

	while ((r = pb_next_number(f, &v)) > 0 && pushed == 0)
		pushed = f->number == 1 ? vec_push(&w->stack, v) : vec_push(&w->values, (int64_t)v);
	return pushed < 0 ? pushed : r;
}

static int take_stack(struct pprof_import *w, uint64_t at)
{
	int r = 0;

	path_cut(&w->path, 0);
	for (size_t i = w->stack.n; i-- > 0 && r == 0;) {
		uint32_t number = u64map_get(&w->location_of_id, w->stack.at[i]);
		const struct location_row *l = number == U64MAP_NONE ? NULL : &w->locations.at[number];

		if (!l)
			import_bad(w->im, SONDE_CORRUPT, at,
				   "a sample refers to location %" PRIu64 ", which the file does not have",
				   w->stack.at[i]);
		for (size_t k = l ? l->n : 0; k-- > 0 && r == 0;)
			r = path_push(&w->path, w->im->profile, w->frames.at[l->first + k]);
	}
	return r;
}

/* A value of the sample that may be counted. */
static bool take_value(struct pprof_import *w, uint32_t type, uint64_t at, uint64_t *out)
{
	int64_t v = w->values.at[type];

	*out = (uint64_t)v;
	if (v < 0)
		import_bad(w->im, SONDE_CORRUPT, at, "value %" PRId64 ": expected a number from 0 to 2^63", v);
	return v >= 0;
}

static int add_sample(struct pprof_import *w, uint64_t at)
{
	struct imported_sample s = { .task = w->task, .time = SONDE_NONE };
	int r = path_stack(&w->path, w->im->profile, &s.stack);

	for (uint32_t i = 0; i < w->types.n && r == 0; i++) {
		const struct value_type *t = &w->types.at[i];

		if (t->event == NO_TYPE || !take_value(w, i, at, &s.period))
			continue;
		s.samples = s.period ? 1 : 0;
		if (t->counts != NO_TYPE && !take_value(w, t->counts, at, &s.samples))
			continue;
		if (t->counts == NO_TYPE && str_is(t->unit, "count"))
			s.samples = s.period;
		s.event = t->event;
		if (s.samples || s.period)
			r = import_sample(w->im, &s, at);
	}
	return r;
}

static int take_task(struct pprof_import *w, const struct labels *l)
{
	uint64_t key[3] = { (uintptr_t)l->comm.p ^ (uint64_t)l->comm.len << 48, (uint64_t)l->pid, (uint64_t)l->tid };

	if (w->has_task && memcmp(key, w->task_key, sizeof(key)) == 0)
		return 0;
	memcpy(w->task_key, key, sizeof(key));
	w->has_task = true;
	w->task = profile_task_add(w->im->profile, l->comm.len ? l->comm : w->comm, 0, (int32_t)l->pid,
				   (int32_t)l->tid);
	return w->task == NO_TASK ? -SONDE_NOMEM : 0;
}

static int take_sample(struct pprof_import *w, const struct pb_field *of)
{
	struct labels labels = { { "", 0 }, -1, -1 };
	struct cursor c = of->body;
	struct pb_field f;
	int r;

	w->stack.n = w->values.n = 0;
	while ((r = pb_next(&c, &f)) > 0) {
		if (f.number <= 2)
			r = take_numbers(w, &f);
		else if (f.number == 3 && f.wire == 2)
			r = take_label(w, f.body, &labels, of->at);
		if (r < 0)
			return r;
	}
	if (r == 0 && w->values.n != w->types.n)
		r = import_bad(w->im, SONDE_CORRUPT, of->at, "a sample has %zu values: expected %zu, as sample types",
			       w->values.n, w->types.n);
	if (r == 0)
		r = take_task(w, &labels);
	if (r == 0)
		r = take_stack(w, of->at);
	return r < 0 ? r : add_sample(w, of->at);
}

/* ---- the file ---- */

/* A thread that the file does not name is the program's, whose mapping is the first. */
static void name_program(struct pprof_import *w)
{
	const char *name = w->mappings.n && w->mappings.at[0].binary ? w->mappings.at[0].binary->name : "[unknown]";
	const char *slash = strrchr(name, '/');

	name = slash && slash[1] ? slash + 1 : name;
	w->comm = (struct sonde_str){ name, strlen(name) };
}

static int read_tables(struct pprof_import *w)
{
	static const struct {
		uint32_t field;
		int (*take)(struct pprof_import *w, const struct pb_field *f);
	} tables[] = {
		{ STRING_TABLE, take_string }, { SAMPLE_TYPE, take_type },
		{ DEFAULT_SAMPLE_TYPE, take_usual_type }, { MAPPING, take_mapping }, { FUNCTION, take_function },
		{ LOCATION, take_location },
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables) && r == 0; i++)
		r = take_all(w, tables[i].field, tables[i].take);
	return r;
}

static int read_pprof(struct import *im)
{
	struct pprof_import w = { .im = im };
	int r = read_tables(&w);

	if (r == 0 && !w.types.n)
		r = import_bad(im, SONDE_CORRUPT, SONDE_NONE, "has no sample types");
	if (r == 0)
		r = add_events(&w);
	name_program(&w);
	if (r == 0)
		r = take_all(&w, SAMPLE, take_sample);
	vec_free(&w.strings);
	vec_free(&w.types);
	vec_free(&w.mappings);
	vec_free(&w.functions);
	vec_free(&w.locations);
	vec_free(&w.frames);
	u64map_free(&w.mapping_of_id);
	u64map_free(&w.function_of_id);
	u64map_free(&w.location_of_id);
	path_free(&w.path);
	vec_free(&w.stack);
	vec_free(&w.values);
	return r;
}

const struct import_format import_pprof = { .name = "pprof", .recognise = is_pprof, .read = read_pprof };
