/* SPDX-License-Identifier: MIT */
/*
 * tables.c - columns of version 66 of the processed profile format
 *
 * Addresses are those in a library, which JavaScript's numbers hold; -1: none. Kernel addresses do not fit: theirs are
 * relative to the start of the kernel.
 */
#include "export/firefox/tables.h"

#include <string.h>

#include "export/build_id_text.h"

int firefox_tables_make(struct firefox_tables *t, const struct sonde_profile *p)
{
	size_t nr_binaries = p->tasks->binaries.list.n;

	*t = (struct firefox_tables){ .p = p };
	t->lib_of_binary = malloc((nr_binaries + 1) * sizeof(*t->lib_of_binary));
	if (named_functions_make(&t->functions, p) < 0 || locations_make(&t->locations, p) < 0 || !t->lib_of_binary)
		return -SONDE_NOMEM;
	memset(t->lib_of_binary, 0xff, (nr_binaries + 1) * sizeof(*t->lib_of_binary));
	for (size_t i = 0; i < t->functions.list.n; i++) {
		uint32_t b = t->functions.list.at[i].binary;

		if (b != NO_BINARY && t->lib_of_binary[b] == NO_LIB)
			t->lib_of_binary[b] = t->nr_libs++;
	}
	for (size_t i = 0; i < t->functions.list.n; i++)
		if (firefox_tables_string(t, t->functions.list.at[i].name) == UINT32_MAX)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < nr_binaries; i++)
		if (firefox_tables_string(t, p->dso_names.at[i]) == UINT32_MAX)
			return -SONDE_NOMEM;
	return 0;
}

uint32_t firefox_tables_string(struct firefox_tables *t, const char *s)
{
	return strpool_add(&t->strings, s, strlen(s));
}

uint32_t firefox_tables_stack(struct firefox_tables *t, const struct sonde_profile_cell *cell)
{
	uint32_t location, stack;

	if (cell->stack)
		return cell->stack - 1;
	if (locations_of_cell(&t->locations, cell) < 0)
		return UINT32_MAX;
	location = (uint32_t)(t->locations.path.at[0] - 1);
	stack = u64map_get(&t->alone, location);
	if (stack != U64MAP_NONE)
		return stack;
	stack = (uint32_t)(t->p->stacks.list.n - 1 + t->alone_locations.n);
	if (vec_push(&t->alone_locations, location) < 0 || u64map_set(&t->alone, location, stack) < 0)
		return UINT32_MAX;
	return stack;
}

void firefox_tables_free(struct firefox_tables *t)
{
	named_functions_free(&t->functions);
	locations_free(&t->locations);
	strpool_free(&t->strings);
	u64map_free(&t->alone);
	vec_free(&t->alone_locations);
	free(t->lib_of_binary);
}

/* ---- one array for each column ---- */

struct firefox_columns {
	struct firefox_tables *t;
	struct json *j;
	size_t n;                    /* rows of the table at hand */
};

typedef void put_value(const struct firefox_columns *c, size_t row);

static void put_column(const struct firefox_columns *c, const char *name, put_value *put)
{
	json_key(c->j, name);
	json_array(c->j);
	for (size_t i = 0; i < c->n; i++)
		put(c, i);
	json_end(c->j);
}

static void begin_table(struct firefox_columns *c, const char *name, size_t n)
{
	json_key(c->j, name);
	json_object(c->j);
	c->n = n;
}

static void end_table(const struct firefox_columns *c)
{
	json_member_u64(c->j, "length", c->n);
	json_end(c->j);
}

static void put_null(const struct firefox_columns *c, size_t row)
{
	(void)row;
	json_null(c->j);
}

static void put_zero(const struct firefox_columns *c, size_t row)
{
	(void)row;
	json_u64(c->j, 0);
}

static void put_false(const struct firefox_columns *c, size_t row)
{
	(void)row;
	json_bool(c->j, false);
}

/* A number where -1 means none. */
static void put_number(const struct firefox_columns *c, uint32_t number)
{
	json_i64(c->j, number == UINT32_MAX ? -1 : (int64_t)number);
}

static void stack_frame(const struct firefox_columns *c, size_t row)
{
	size_t recorded = c->t->p->stacks.list.n - 1;

	json_u64(c->j, row < recorded ? c->t->locations.of_stack[row + 1] : c->t->alone_locations.at[row - recorded]);
}

/* How many rows before it its callers are; 0: it has none. */
static void stack_prefix(const struct firefox_columns *c, size_t row)
{
	const struct stacks *stacks = &c->t->p->stacks;
	uint32_t parent = row + 1 < stacks->list.n ? stacks->list.at[row + 1].parent : 0;

	json_u64(c->j, parent ? row + 1 - parent : 0);
}

/* The function that a location lies in, whatever was inlined there. */
static const struct named_function *function_around(const struct firefox_columns *c, size_t row)
{
	const struct location *l = &c->t->locations.list.at[row];

	while (l->into != NO_LOCATION)
		l = &c->t->locations.list.at[l->into];
	return &c->t->functions.list.at[c->t->functions.of_frame[l->frame]];
}

static void frame_address(const struct firefox_columns *c, size_t row)
{
	const struct named_function *f = function_around(c, row);
	const struct binary *b = f->binary == NO_BINARY ? NULL : c->t->p->tasks->binaries.list.at[f->binary];
	uint64_t base = b && f->in_kernel && f->addr >= b->ref_addr ? b->ref_addr : 0;

	if (b && f->addr && f->addr - base <= (UINT64_C(1) << 53))
		json_u64(c->j, f->addr - base);
	else
		json_i64(c->j, -1);
}

static void frame_depth(const struct firefox_columns *c, size_t row)
{
	uint32_t depth = 0;

	for (uint32_t at = c->t->locations.list.at[row].into; at != NO_LOCATION; at = c->t->locations.list.at[at].into)
		depth++;
	json_u64(c->j, depth);
}

static uint32_t frame_function(const struct firefox_columns *c, size_t row)
{
	return c->t->functions.of_frame[c->t->locations.list.at[row].frame];
}

static void frame_category(const struct firefox_columns *c, size_t row)
{
	const struct named_function *f = &c->t->functions.list.at[frame_function(c, row)];

	json_u64(c->j, f->in_kernel ? FIREFOX_KERNEL : f->binary == NO_BINARY ? FIREFOX_OTHER : FIREFOX_USER);
}

static void frame_func(const struct firefox_columns *c, size_t row)
{
	json_u64(c->j, frame_function(c, row));
}

static void frame_line(const struct firefox_columns *c, size_t row)
{
	uint32_t line = c->t->p->frames.list.at[c->t->locations.list.at[row].frame].line;

	if (line)
		json_u64(c->j, line);
	else
		json_null(c->j);
}

static void func_name(const struct firefox_columns *c, size_t row)
{
	const char *name = c->t->functions.list.at[row].name;

	put_number(c, strpool_find(&c->t->strings, name, strlen(name)));
}

static void func_resource(const struct firefox_columns *c, size_t row)
{
	uint32_t b = c->t->functions.list.at[row].binary;

	put_number(c, b == NO_BINARY ? NO_LIB : c->t->lib_of_binary[b]);
}

/* The binaries that are libraries here, by their numbers. */
static void for_libs(const struct firefox_columns *c,
		     void (*put)(const struct firefox_columns *c, const struct binary *b))
{
	const struct sonde_profile *p = c->t->p;
	uint32_t next = 0;

	for (size_t f = 0; f < c->t->functions.list.n; f++) {
		uint32_t b = c->t->functions.list.at[f].binary;

		if (b != NO_BINARY && c->t->lib_of_binary[b] == next) {
			put(c, p->tasks->binaries.list.at[b]);
			next++;
		}
	}
}

static void resource_name(const struct firefox_columns *c, const struct binary *b)
{
	const char *name = c->t->p->dso_names.at[b->index];

	put_number(c, strpool_find(&c->t->strings, name, strlen(name)));
}

static void put_row_number(const struct firefox_columns *c, size_t row)
{
	json_u64(c->j, row);
}

static void put_one(const struct firefox_columns *c, size_t row)
{
	(void)row;
	json_u64(c->j, 1);
}

/* A build id as the name of a symbol file: its first 16 bytes as a GUID of this byte order, and an age of 0. */
static void put_breakpad_id(const struct firefox_columns *c, const struct binary *b)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	char text[2 * sizeof(order) + 2] = "";

	for (size_t i = 0; i < sizeof(order) && b->build_id_size >= sizeof(order); i++)
		snprintf(text + 2 * i, 3, "%02X", b->build_id[order[i]]);
	json_text(c->j, *text ? strcat(text, "0") : "");
}

static void put_lib(const struct firefox_columns *c, const struct binary *b)
{
	const char *name = c->t->p->dso_names.at[b->index];

	json_object(c->j);
	json_member_text(c->j, "arch", "");
	json_member_text(c->j, "name", name);
	json_member_text(c->j, "path", b->name);
	json_member_text(c->j, "debugName", name);
	json_member_text(c->j, "debugPath", b->name);
	json_key(c->j, "breakpadId");
	put_breakpad_id(c, b);
	json_member_text(c->j, "codeId", build_id_text(b).s);
	json_end(c->j);
}

static void put_stack_table(struct firefox_columns *c)
{
	begin_table(c, "stackTable", c->t->p->stacks.list.n - 1 + c->t->alone_locations.n);
	put_column(c, "frame", stack_frame);
	put_column(c, "prefixOffset", stack_prefix);
	end_table(c);
}

static void put_frame_table(struct firefox_columns *c)
{
	begin_table(c, "frameTable", c->t->locations.list.n);
	put_column(c, "address", frame_address);
	put_column(c, "inlineDepth", frame_depth);
	put_column(c, "category", frame_category);
	put_column(c, "subcategory", put_zero);
	put_column(c, "func", frame_func);
	put_column(c, "nativeSymbol", put_null);
	put_column(c, "innerWindowID", put_zero);
	put_column(c, "line", frame_line);
	put_column(c, "column", put_null);
	put_column(c, "originalLocation", put_null);
	end_table(c);
}

static void func_source(const struct firefox_columns *c, size_t row)
{
	const char *file = c->t->functions.list.at[row].file;

	if (file)
		json_u64(c->j, row);  /* each function has a row of sources of its own */
	else
		json_null(c->j);
}

static void put_func_table(struct firefox_columns *c)
{
	begin_table(c, "funcTable", c->t->functions.list.n);
	put_column(c, "name", func_name);
	put_column(c, "isJS", put_false);
	put_column(c, "relevantForJS", put_false);
	put_column(c, "resource", func_resource);
	put_column(c, "source", func_source);
	put_column(c, "lineNumber", put_null);
	put_column(c, "columnNumber", put_null);
	put_column(c, "originalLocation", put_null);
	end_table(c);
}

static void source_file(const struct firefox_columns *c, size_t row)
{
	const char *file = c->t->functions.list.at[row].file;
	uint32_t name = file ? firefox_tables_string(c->t, file) : 0;

	json_u64(c->j, name == UINT32_MAX ? 0 : name);
}

static void put_sources(struct firefox_columns *c)
{
	begin_table(c, "sources", c->t->p->frames.by_line ? c->t->functions.list.n : 0);
	put_column(c, "id", put_null);
	put_column(c, "filename", source_file);
	put_column(c, "startLine", put_one);
	put_column(c, "startColumn", put_one);
	put_column(c, "sourceMapURL", put_null);
	put_column(c, "content", put_null);
	end_table(c);
}

static void put_resources(struct firefox_columns *c)
{
	begin_table(c, "resourceTable", c->t->nr_libs);
	put_column(c, "lib", put_row_number);
	json_key(c->j, "name");
	json_array(c->j);
	for_libs(c, resource_name);
	json_end(c->j);
	put_column(c, "host", put_null);
	put_column(c, "type", put_one);  /* a library */
	end_table(c);
}

/* Tables of things that a recording does not have. */
static void put_empty_tables(struct firefox_columns *c)
{
	static const char *const native[] = { "libIndex", "address", "name", "functionSize" };
	static const char *const locations[] = { "source", "line", "column" };

	begin_table(c, "nativeSymbols", 0);
	for (size_t i = 0; i < sizeof(native) / sizeof(native[0]); i++)
		put_column(c, native[i], put_null);
	end_table(c);
	begin_table(c, "sourceLocationTable", 0);
	for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++)
		put_column(c, locations[i], put_null);
	end_table(c);
}

void firefox_tables_put(struct firefox_tables *t, struct json *j)
{
	struct firefox_columns c = { .t = t, .j = j };

	json_key(j, "libs");
	json_array(j);
	for_libs(&c, put_lib);
	json_end(j);
	json_key(j, "shared");
	json_object(j);
	put_stack_table(&c);
	put_frame_table(&c);
	put_func_table(&c);
	put_resources(&c);
	put_sources(&c);
	put_empty_tables(&c);
	json_key(j, "stringArray");
	json_array(j);
	for (size_t i = 0; i < t->strings.names.n; i++)
		json_text(j, t->strings.names.at[i]);
	json_end(j);
	json_end(j);
}
