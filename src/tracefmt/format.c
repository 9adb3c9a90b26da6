/* SPDX-License-Identifier: MIT */
/*
 * format.c - the text of a `format` file
 *
 *	name: sched_wakeup
 *	ID: 300
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: "comm=%s", REC->comm
 */
#include "tracefmt/format.h"

#include "base/ascii.h"
#include "base/str.h"
#include "base/vec.h"
#include "tracefmt/ctype.h"

static struct sonde_str trim(struct sonde_str s)
{
	while (s.len && is_space(*s.p))
		s.p++, s.len--;
	while (s.len && is_space(s.p[s.len - 1]))
		s.len--;
	return s;
}

static bool is_name_char(char c)
{
	return is_alnum(c) || c == '_';
}

static bool parse_u32(struct sonde_str s, uint32_t *out)
{
	uint64_t v = 0;

	s = trim(s);
	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.p[i]) || v > UINT32_MAX / 10)
			return false;
		v = v * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = (uint32_t)v;
	return s.len > 0 && v <= UINT32_MAX;
}

/* Splits "char comm[16]", "unsigned char [6] mac", "__data_loc char[] name": the name is the last word that is not in
 * brackets. */
static bool split_declaration(struct sonde_str decl, struct sonde_str *before, struct sonde_str *name,
			      struct sonde_str *after)
{
	size_t end = decl.len, start;

	while (end > 0 && !is_name_char(decl.p[end - 1])) {
		if (decl.p[end - 1] == ']')
			while (end > 0 && decl.p[end - 1] != '[')
				end--;
		if (end > 0)
			end--;
	}
	for (start = end; start > 0 && is_name_char(decl.p[start - 1]);)
		start--;
	*before = trim((struct sonde_str){ decl.p, start });
	*name = (struct sonde_str){ decl.p + start, end - start };
	*after = trim((struct sonde_str){ decl.p + end, decl.len - end });
	return start < end && before->len > 0;
}

/* The number in the (last) brackets of a type; 0 if there is none. */
static uint32_t array_bound(struct sonde_str type)
{
	const char *close = type.len ? memrchr(type.p, ']', type.len) : NULL;
	const char *open = close ? memrchr(type.p, '[', (size_t)(close - type.p)) : NULL;
	uint32_t n;

	return open && parse_u32((struct sonde_str){ open + 1, (size_t)(close - open - 1) }, &n) ? n : 0;
}

static void describe(struct sonde_tracepoint_field *f, struct sonde_str type, uint8_t long_size)
{
	struct ctype c = ctype_parse(type, long_size);
	uint32_t bound = array_bound(type);

	if (str_skip_prefix(&type, "__data_loc "))
		f->flags |= SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_ARRAY;
	else if (str_skip_prefix(&type, "__rel_loc "))
		f->flags |= SONDE_TRACEPOINT_REL_LOC | SONDE_TRACEPOINT_ARRAY;
	if (memchr(type.p, '[', type.len))
		f->flags |= SONDE_TRACEPOINT_ARRAY;
	if (c.is_pointer)
		f->flags |= SONDE_TRACEPOINT_POINTER;
	if (c.is_long)
		f->flags |= SONDE_TRACEPOINT_LONG;
	if (strncmp(f->name, "common_", 7) == 0)
		f->flags |= SONDE_TRACEPOINT_COMMON;
	f->elem_size = f->size;
	if (f->flags & SONDE_TRACEPOINT_ARRAY) {
		f->elem_size = c.is_pointer ? long_size : c.size;
		if (bound && f->size % bound == 0 &&
		    !(f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC)))
			f->elem_size = f->size / bound;
		if (f->elem_size == 0)
			f->elem_size = 1;
		if (c.is_char && !c.is_pointer)
			f->flags |= SONDE_TRACEPOINT_STRING;
		if (c.is_mask && !c.is_pointer)
			f->flags |= SONDE_TRACEPOINT_BITMASK;
	} else if (c.is_mask && f->size > long_size) {
		f->flags |= SONDE_TRACEPOINT_BITMASK;
	}
}

static int parse_field(struct sonde_tracepoint_field *f, struct sonde_str line, uint8_t long_size, struct arena *arena,
		       struct sonde_error *err)
{
	struct sonde_str decl = trim(str_take(&line, ';')), before, name, after, item;
	bool offset = false, size = false;
	uint32_t is_signed = 0;
	char *type;

	if (!split_declaration(decl, &before, &name, &after))
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "field declaration \"%.*s\" has no type and name",
			       (int)(decl.len < 60 ? decl.len : 60), decl.p);
	while (line.len) {
		item = trim(str_take(&line, ';'));
		if (str_skip_prefix(&item, "offset:"))
			offset = parse_u32(item, &f->offset);
		else if (str_skip_prefix(&item, "size:"))
			size = parse_u32(item, &f->size);
		else if (str_skip_prefix(&item, "signed:"))
			parse_u32(item, &is_signed);
	}
	if (!offset || !size)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "field \"%.*s\" has no offset and size",
			       (int)(name.len < 60 ? name.len : 60), name.p);
	type = arena_alloc(arena, before.len + after.len + 1);
	f->name = arena_strndup(arena, name.p, name.len);
	if (!type || !f->name)
		return err_nomem(err);
	memcpy(type, before.p, before.len);
	memcpy(type + before.len, after.p, after.len);
	f->type = type;
	f->flags = is_signed ? SONDE_TRACEPOINT_SIGNED : 0;
	describe(f, (struct sonde_str){ type, before.len + after.len }, long_size);
	return 0;
}

int format_parse(struct tracefmt_event *e, struct sonde_str text, struct arena *arena, struct sonde_error *err)
{
	VEC(struct sonde_tracepoint_field) fields = { 0 };
	struct sonde_str name = { 0 }, line;
	bool id = false;
	int r = 0;

	while (text.len && r == 0) {
		/* the rest is one expression, also where a string in it contains line breaks */
		if (str_skip_prefix(&text, "print fmt:")) {
			e->print_fmt = trim(text);
			break;
		}
		line = trim(str_take(&text, '\n'));
		if (str_skip_prefix(&line, "name:")) {
			name = trim(line);
		} else if (str_skip_prefix(&line, "ID:")) {
			id = parse_u32(line, &e->id);
		} else if (str_skip_prefix(&line, "field:") || str_skip_prefix(&line, "field special:")) {
			struct sonde_tracepoint_field f = { 0 };

			r = parse_field(&f, line, e->long_size, arena, err);
			if (r == 0 && vec_push(&fields, f) < 0)
				r = err_nomem(err);
		}
	}
	if (r == 0 && (name.len == 0 || !id))
		r = err_set(err, SONDE_CORRUPT, SONDE_NONE, "event format without name or ID");
	if (r == 0) {
		e->nr_fields = fields.n;
		e->fields = arena_memdup(arena, fields.at, fields.n * sizeof(*fields.at));
		e->name = arena_strndup(arena, name.p, name.len);
		e->print_fmt.p = arena_strndup(arena, e->print_fmt.p, e->print_fmt.len);
		r = e->fields && e->name && e->print_fmt.p ? 0 : err_nomem(err);
	}
	vec_free(&fields);
	return r;
}
