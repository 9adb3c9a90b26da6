/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/supplement.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

/* The file that a debug file refers to: views of its section. */
struct link {
	struct sonde_str name;
	const uint8_t *id;
	size_t id_size;
	char misfit[PATH_MAX];       /* a file of this name with another id; "": none */
	char misfit_id[BUILD_ID_TEXT];
};

static struct cursor section_cursor(const struct elf_file *f, const char *name)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_file_section(f, name, &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	return cur_new(data ? data->d_buf : NULL, data && data->d_buf ? data->d_size : 0, 0,
		       elf_file_swaps(f), NULL);
}

/* DWARF 5: whether this is such a file itself, the name of the other one, and its checksum. */
static bool read_debug_sup(const struct elf_file *f, bool supplementary, struct link *l)
{
	struct cursor c = section_cursor(f, ".debug_sup");
	bool known = cur_u16(&c) == 5, is_supplementary = cur_u8(&c) != 0;

	l->name = cur_strz(&c);
	l->id_size = (size_t)cur_uleb(&c);
	l->id = cur_take(&c, l->id_size);
	return known && is_supplementary == supplementary && cur_ok(&c) && l->id_size;
}

/* The name, and the build id in the rest of the section. */
static bool read_altlink(const struct elf_file *f, struct link *l)
{
	struct cursor c = section_cursor(f, ".gnu_debugaltlink");

	l->name = cur_strz(&c);
	l->id_size = (size_t)cur_left(&c);
	l->id = cur_take(&c, l->id_size);
	return cur_ok(&c) && l->id_size;
}

static bool fits(const struct elf_file *f, const struct link *l)
{
	struct link own;

	return (l->id_size == f->build_id_size && !memcmp(l->id, f->build_id, l->id_size)) ||
	       (read_debug_sup(f, true, &own) && own.id_size == l->id_size && !memcmp(own.id, l->id, l->id_size));
}

static bool open_if_fits(struct elf_file *out, const char *path, struct link *l)
{
	if (elf_file_open(out, path, NULL) < 0)
		return false;
	if (fits(out, l))
		return true;
	path_print(l->misfit, "%s", path);
	build_id_print(l->misfit_id, out->build_id, out->build_id_size);
	elf_file_close(out);
	return false;
}

/* A relative name is beside the debug file, which may be reached through a symbolic link. */
static bool by_name(struct elf_file *out, const struct dwarf_paths *p, struct link *l)
{
	char path[PATH_MAX], *real;
	bool found;

	if (l->name.p[0] == '/')
		return (p->symfs[0] && path_print(path, "%s%s", p->symfs, l->name.p) && open_if_fits(out, path, l)) ||
		       open_if_fits(out, l->name.p, l);
	if (path_print(path, "%.*s%s", path_dir_length(p->debug), p->debug, l->name.p) && open_if_fits(out, path, l))
		return true;
	real = realpath(p->debug, NULL);
	found = real && path_print(path, "%.*s%s", path_dir_length(real), real, l->name.p) &&
		open_if_fits(out, path, l);
	free(real);
	return found;
}

static bool by_id(struct elf_file *out, const struct dwarf_paths *p, struct link *l)
{
	char id[BUILD_ID_TEXT], path[PATH_MAX];

	if (l->id_size < 2)
		return false;
	build_id_print(id, l->id, l->id_size);
	for (const char *const *dir = p->debug_dirs; *dir; dir++)
		if ((path_print(path, "%s%s/.build-id/%.2s/%s.debug", p->symfs, *dir, id, id + 2) &&
		     open_if_fits(out, path, l)) ||
		    (path_print(path, "%s%s/.dwz/%s", p->symfs, *dir, path_base(l->name.p)) &&
		     open_if_fits(out, path, l)))
			return true;
	return false;
}

static void note_missing(struct missing_parts *missing, const struct dwarf_paths *p, const struct link *l)
{
	struct buf note = BUF_MEMORY;
	char id[BUILD_ID_TEXT];

	build_id_print(id, l->id, l->id_size);
	if (l->misfit[0]) {
		buf_text(&note, l->misfit, strlen(l->misfit));
		buf_printf(&note, " has the build id %s, ", l->misfit_id[0] ? l->misfit_id : "(none)");
		buf_text(&note, p->debug, strlen(p->debug));
		buf_printf(&note, " needs %s", id);
	} else {
		buf_text(&note, p->debug, strlen(p->debug));
		buf_str(&note, " needs ");
		buf_text(&note, l->name.p, l->name.len);
		buf_printf(&note, " (build id %s) for names and inlined functions, which was not found", id);
	}
	missing_parts_add(missing, &note);
}

int supplement_open(struct elf_file *out, const struct elf_file *f, const struct dwarf_paths *p,
		    struct missing_parts *missing)
{
	struct link l = { .misfit = "" };

	if (!read_altlink(f, &l) && !read_debug_sup(f, false, &l))
		return -SONDE_STOPPED;
	if (by_name(out, p, &l) || by_id(out, p, &l))
		return 0;
	note_missing(missing, p, &l);
	return -SONDE_MISSING;
}
