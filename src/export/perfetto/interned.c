/* SPDX-License-Identifier: MIT */
#include "export/perfetto/interned.h"

#include "base/protobuf.h"

/* Fields of InternedData. */
enum { NAMES = 5, FRAMES = 6, STACKS = 7, BUILD_IDS = 16, PATHS = 17, SOURCES = 18, MAPPINGS = 19 };
/* Fields of its messages. */
enum { IID = 1, STRING_TEXT = 2 };
enum { MAPPING_BUILD_ID = 2, MAPPING_PATH = 7 };
enum { FRAME_NAME = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6 };
enum { STACK_FRAMES = 2 };

/* Sets the mark of a number in a vector of bool; 1 if it was set already, 0 if not, or -SONDE_NOMEM. */
#define mark(v, number) mark_number(&(v)->at, &(v)->n, &(v)->cap, number)

static int mark_number(bool **at, size_t *n, size_t *cap, uint32_t number)
{
	while (*n <= number) {
		if (*n == *cap && vec_grow((void **)at, cap, *n, 1, sizeof(**at)) < 0)
			return -SONDE_NOMEM;
		(*at)[(*n)++] = false;
	}
	if ((*at)[number])
		return 1;
	(*at)[number] = true;
	return 0;
}

static void put_string(struct buf *data, uint32_t field, uint64_t iid, const char *s, size_t len)
{
	size_t m = pb_begin(data, field);

	pb_u64(data, IID, iid);
	pb_text(data, STRING_TEXT, s, len);
	pb_end(data, m);
}

/* The number of a name; 0 when out of memory. Names of functions and files share the numbers. */
static uint32_t name_of(struct interned *n, uint32_t field, const char *name, struct buf *data)
{
	uint32_t known = u64map_get(&n->names, (uintptr_t)name);

	if (known != U64MAP_NONE)
		return known;
	if (u64map_set(&n->names, (uintptr_t)name, ++n->nr_names) < 0)
		return 0;
	put_string(data, field, n->nr_names, name, strlen(name));
	return n->nr_names;
}

static int put_module(struct interned *n, const struct binary *b, struct buf *data)
{
	const char *path = b->name[0] == '/' ? b->name + 1 : b->name;  /* readers put a slash before it */
	uint64_t iid = (uint64_t)b->index + 1;
	int known = mark(&n->modules, b->index);
	size_t m;

	if (known)
		return known < 0 ? known : 0;
	put_string(data, PATHS, iid, path, strlen(path));
	if (b->build_id_size) {
		m = pb_begin(data, BUILD_IDS);
		pb_u64(data, IID, iid);
		pb_bytes(data, STRING_TEXT, b->build_id, b->build_id_size);
		pb_end(data, m);
	}
	m = pb_begin(data, MAPPINGS);
	pb_u64(data, IID, iid);
	if (b->build_id_size)
		pb_u64(data, MAPPING_BUILD_ID, iid);
	pb_u64(data, MAPPING_PATH, iid);
	pb_end(data, m);
	return 0;
}

static int put_frame(struct interned *n, const struct event_rows *e, uint32_t frame, struct buf *data)
{
	const struct place_frame *f = &e->places.frames.at[frame];
	uint32_t name, file;
	int known = mark(&n->frames, frame);
	size_t m;

	if (known)
		return known < 0 ? known : 0;
	if (f->binary && put_module(n, f->binary, data) < 0)
		return -SONDE_NOMEM;
	name = name_of(n, NAMES, f->symbol ? f->symbol : "", data);
	file = f->file ? name_of(n, SOURCES, f->file, data) : 0;
	if (!name || (f->file && !file))
		return -SONDE_NOMEM;
	m = pb_begin(data, FRAMES);
	pb_u64(data, IID, (uint64_t)frame + 1);
	pb_u64(data, FRAME_NAME, name);
	if (f->binary)
		pb_u64(data, FRAME_MAPPING, (uint64_t)f->binary->index + 1);
	pb_u64(data, FRAME_PC, f->addr);
	if (file) {
		pb_u64(data, FRAME_SOURCE, file);
		pb_u64(data, FRAME_LINE, f->line);
	}
	pb_end(data, m);
	return 0;
}

int interned_stack(struct interned *n, const struct event_rows *e, uint32_t stack, struct buf *data)
{
	const struct sonde_profile_stack *list = e->stacks.list.at;
	int known = mark(&n->stacks, stack);
	size_t m;

	if (known)
		return known < 0 ? known : 0;
	n->ids.n = 0;
	for (uint32_t i = stack; i; i = list[i].parent)
		if (put_frame(n, e, list[i].frame, data) < 0 || vec_push(&n->ids, (uint64_t)list[i].frame + 1) < 0)
			return -SONDE_NOMEM;
	m = pb_begin(data, STACKS);
	pb_u64(data, IID, stack);
	for (size_t i = n->ids.n; i-- > 0;)
		pb_u64(data, STACK_FRAMES, n->ids.at[i]);
	pb_end(data, m);
	return 0;
}

void interned_free(struct interned *n)
{
	vec_free(&n->stacks);
	vec_free(&n->frames);
	vec_free(&n->modules);
	vec_free(&n->ids);
	u64map_free(&n->names);
}
