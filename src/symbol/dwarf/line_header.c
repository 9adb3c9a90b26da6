/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/line_header.h"

#include <limits.h>
#include <string.h>

#include "symbol/dwarf/form.h"

/* A description of one column of a table of DWARF 5. */
struct entry_column { uint64_t content, form; };

enum { COLUMNS_MAX = 255 };

struct header_reader {
	struct line_header *h;
	const struct unit_lines *lines;
	struct cursor c;             /* up to the end of the tables */
	uint8_t offset_size, address_size;
};

/* Text at an offset of a section of strings; NULL: not in it. */
static const char *text_at(struct debug_sections *of, enum debug_section which, uint64_t at)
{
	return of ? debug_sections_string(of, which, at) : NULL;
}

/* Takes a value: a text or a number, where it has one. False: the rest of the table cannot be found. */
static bool take_value(struct header_reader *r, uint64_t form, const char **text, uint64_t *number)
{
	struct form_sizes sizes = { .address = r->address_size, .offset = r->offset_size, .ref_addr = r->offset_size };
	struct dwarf_scan s = { .p = r->c.p, .end = r->c.end, .swap = r->c.swap };
	uint16_t real = (uint16_t)form;
	uint64_t value;

	if (form > UINT16_MAX || form == DW_FORM_implicit_const)
		return false;        /* a table has no place for a constant */
	value = form_read(&s, &real, &sizes);
	*text = NULL;
	*number = 0;
	switch (real) {
	case DW_FORM_string:
		*text = s.failed ? NULL : (const char *)(uintptr_t)value;
		break;
	case DW_FORM_line_strp:
		*text = text_at(r->lines->strings, DEBUG_LINE_STR, value);
		break;
	case DW_FORM_strp:
		*text = text_at(r->lines->strings, DEBUG_STR, value);
		break;
	case DW_FORM_strp_sup: case DW_FORM_GNU_strp_alt:
		*text = text_at(r->lines->sup_strings, DEBUG_STR, value);
		break;
	default:
		*number = value;
	}
	if (s.failed)
		return false;
	cur_take(&r->c, (uint64_t)(s.p - r->c.p));
	return cur_ok(&r->c);
}

static int add_entry(struct line_header *h, bool is_dir, const char *name, uint64_t dir)
{
	return is_dir ? vec_push(&h->dirs, name) : vec_push(&h->files, ((struct line_file){ name, dir, NULL }));
}

/* A table of directories or files of DWARF 5, which describes its columns itself. */
static int read_table(struct header_reader *r, bool is_dir)
{
	struct entry_column columns[COLUMNS_MAX];
	uint8_t nr_columns = cur_u8(&r->c);
	uint64_t count;
	int failed = 0;

	for (int i = 0; i < nr_columns; i++) {
		columns[i].content = cur_uleb(&r->c);
		columns[i].form = cur_uleb(&r->c);
	}
	count = cur_uleb(&r->c);
	/* An entry of no bytes would not be a file. */
	if (!cur_ok(&r->c) || count > cur_left(&r->c) || (count && !nr_columns))
		return -SONDE_CORRUPT;
	for (uint64_t n = 0; n < count && !failed; n++) {
		const char *name = NULL, *text;
		uint64_t dir = 0, number;

		for (int i = 0; i < nr_columns; i++) {
			if (!take_value(r, columns[i].form, &text, &number))
				return -SONDE_CORRUPT;
			if (columns[i].content == DW_LNCT_path)
				name = text;
			else if (columns[i].content == DW_LNCT_directory_index)
				dir = number;
		}
		failed = add_entry(r->h, is_dir, name, dir);
	}
	return failed;
}

int line_header_add_file(struct line_header *h, struct cursor *c, const char *name)
{
	uint64_t dir = cur_uleb(c);

	cur_uleb(c);                 /* time of the last change */
	cur_uleb(c);                 /* size */
	return cur_ok(c) ? add_entry(h, false, name, dir) : 0;
}

/* The tables of DWARF 2 to 4. */
static int read_lists(struct header_reader *r)
{
	struct line_header *h = r->h;
	struct sonde_str s;
	int failed;

	failed = add_entry(h, true, h->comp_dir, 0);
	for (s = cur_strz(&r->c); s.len && !failed; s = cur_strz(&r->c))
		failed = add_entry(h, true, s.p, 0);
	if (!failed)
		failed = add_entry(h, false, NULL, 0);
	for (s = cur_strz(&r->c); s.len && !failed; s = cur_strz(&r->c))
		failed = line_header_add_file(h, &r->c, s.p);
	return failed;
}

/* A cursor over the whole program, after its length. */
static struct cursor take_unit(struct header_reader *r)
{
	const struct unit_lines *l = r->lines;
	struct cursor all = cur_new(l->line.p, l->line.n, 0, l->swap, NULL);
	uint64_t size;

	cur_take(&all, l->offset);
	size = cur_u32(&all);
	r->offset_size = size == UINT32_MAX ? 8 : 4;
	if (size == UINT32_MAX)
		size = cur_u64(&all);
	else if (size >= 0xfffffff0)
		cur_short(&all, size);
	return cur_sub(&all, size);
}

uint64_t line_header_unit_size(const struct unit_lines *lines)
{
	struct line_header h;
	struct header_reader r = { .h = &h, .lines = lines };
	struct cursor unit = take_unit(&r);

	return cur_ok(&unit) ? cur_left(&unit) + (r.offset_size == 8 ? 12 : 4) : 0;
}

/* The tables end where the program begins. */
static bool split(struct header_reader *r, struct cursor unit)
{
	uint64_t size = r->offset_size == 8 ? cur_u64(&unit) : cur_u32(&unit);

	r->c = cur_sub(&unit, size);
	r->h->program = unit;
	return cur_ok(&unit);
}

static bool read_parameters(struct line_header *h, struct cursor *c)
{
	h->min_inst_length = cur_u8(c);
	h->max_ops = h->version >= 4 ? cur_u8(c) : 1;
	if (!h->max_ops)
		h->max_ops = 1;
	cur_u8(c);                   /* default_is_stmt: of no use to a profiler */
	h->line_base = (int8_t)cur_u8(c);
	h->line_range = cur_u8(c);
	h->opcode_base = cur_u8(c);
	if (!h->line_range || !h->opcode_base)
		return false;
	h->operands = cur_take(c, h->opcode_base - 1u);
	return cur_ok(c);
}

int line_header_read(struct line_header *h, const struct unit_lines *lines)
{
	struct header_reader r = { .h = h, .lines = lines };
	struct cursor unit;
	int failed;

	*h = (struct line_header){ .comp_dir = lines->comp_dir };
	unit = take_unit(&r);
	h->version = cur_u16(&unit);
	if (!cur_ok(&unit) || h->version < 2 || h->version > 5)
		return -SONDE_CORRUPT;
	r.address_size = lines->address_size;
	if (h->version == 5) {
		r.address_size = cur_u8(&unit);
		cur_u8(&unit);       /* size of a segment selector: no machine has one */
	}
	if (!split(&r, unit) || !read_parameters(h, &r.c))
		return -SONDE_CORRUPT;
	if (h->version == 5) {
		failed = read_table(&r, true);
		if (!failed)
			failed = read_table(&r, false);
	} else {
		failed = read_lists(&r);
	}
	if (failed == -SONDE_NOMEM)
		line_header_free(h);
	return failed == -SONDE_NOMEM ? failed : 0;
}

void line_header_free(struct line_header *h)
{
	vec_free(&h->dirs);
	vec_free(&h->files);
	arena_free(&h->paths);
}

static bool is_absolute(const char *path)
{
	return path && path[0] == '/';
}

/* The parts with slashes between them; NULL and empty ones are left out. NULL: longer than any path of a file. */
static const char *join(struct arena *a, const char *const parts[3])
{
	size_t size = 1, n = 0;
	char *path;

	for (int i = 0; i < 3; i++)
		size += parts[i] ? strnlen(parts[i], PATH_MAX) + 1 : 0;
	path = size <= PATH_MAX ? arena_alloc(a, size) : NULL;
	for (int i = 0; path && i < 3; i++) {
		size_t len = parts[i] ? strlen(parts[i]) : 0;

		if (n && len && path[n - 1] != '/')
			path[n++] = '/';
		memcpy(path + n, len ? parts[i] : "", len);
		n += len;
	}
	if (path)
		path[n] = '\0';
	return path;
}

const char *line_header_path(struct line_header *h, uint64_t number)
{
	struct line_file *f = number < h->files.n ? &h->files.at[number] : NULL;
	const char *parts[3] = { NULL };

	if (!f || !f->name || !f->name[0])
		return NULL;
	if (f->path)
		return f->path;
	parts[2] = f->name;
	if (!is_absolute(parts[2]) && f->dir < h->dirs.n)
		parts[1] = h->dirs.at[f->dir];
	/*
	 * Directory 0 of DWARF 5 is that of the compilation. Where both are relative, as in Debian's libc6-dbg, every
	 * other tool joins them all the same, and its users know files by such paths.
	 */
	if (!is_absolute(parts[2]) && !is_absolute(parts[1]) && (f->dir || h->version >= 5))
		parts[0] = h->comp_dir;
	f->path = join(&h->paths, parts);
	return f->path;
}
