/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/split.h"

#include <inttypes.h>
#include <string.h>

/* A tree that was built anew has other ids; opening all its files is no use. */
enum { MISFITS_MAX = 1000 };

void splits_init(struct splits *s, const struct dwarf_paths *paths, struct missing_parts *missing)
{
	*s = (struct splits){ .paths = paths, .missing = missing, .misfits_left = MISFITS_MAX };
	pthread_mutex_init(&s->lock, NULL);
}

void splits_free(struct splits *s)
{
	package_close(&s->package);
	u64map_free(&s->used_ids);
	pthread_mutex_destroy(&s->lock);
}

void split_init(struct split *split)
{
	*split = (struct split){ 0 };
	pthread_mutex_init(&split->lock, NULL);
}

void split_free(struct split *split)
{
	debug_file_close(&split->file);
	pthread_mutex_destroy(&split->lock);
}

static struct unit *unit_of_id(const struct debug_file *f, uint64_t id)
{
	for (size_t i = 0; i < f->units.n; i++)
		if (unit_ready(&f->units.at[i]) && f->units.at[i].id == id)
			return &f->units.at[i];
	return NULL;
}

/* A file of the right name that has not the unit; path "": there is none. */
struct misfit {
	char path[PATH_MAX];
	uint64_t id;                 /* of its first unit; 0: has none */
};

/*
 * Reads the units of split->file, which is closed if the wanted one is not among them. other: set to the id of the
 * first one.
 */
static bool take_unit(struct split *split, uint64_t id, uint64_t *other)
{
	if (debug_file_read_units(&split->file) == 0)
		split->unit = unit_of_id(&split->file, id);
	*other = split->file.units.n && unit_ready(&split->file.units.at[0]) ? split->file.units.at[0].id : 0;
	if (!split->unit)
		debug_file_close(&split->file);
	return split->unit;
}

static bool try_file(struct split *split, struct splits *all, const char *path, uint64_t id, struct misfit *misfit)
{
	struct elf_file elf;
	uint64_t other;

	if (!__atomic_load_n(&all->misfits_left, __ATOMIC_RELAXED) || elf_file_open(&elf, path, NULL) < 0)
		return false;
	debug_file_open(&split->file, &elf, ".dwo");
	if (take_unit(split, id, &other)) {
		debug_sections_detach(&split->file.sections);
	} else {
		__atomic_fetch_sub(&all->misfits_left, 1, __ATOMIC_RELAXED);
		path_print(misfit->path, "%s", path);
		misfit->id = other;
	}
	elf_file_close(&elf);
	return split->unit;
}

static bool open_package(struct splits *s)
{
	const struct dwarf_paths *p = s->paths;
	char *path = s->package_path;

	if (!s->looked_for_package) {
		s->looked_for_package = true;
		if (!(path_print(path, "%s.dwp", p->debug) && package_open(&s->package, path)) && p->binary &&
		    !(path_print(path, "%s%s.dwp", p->symfs, p->binary) && package_open(&s->package, path)) &&
		    p->symfs[0] && path_print(path, "%s.dwp", p->binary))
			package_open(&s->package, path);
	}
	return package_is_open(&s->package);
}

static bool try_package(struct split *split, struct splits *all, uint64_t id)
{
	uint64_t other;
	bool found;

	pthread_mutex_lock(&all->lock);
	found = open_package(all) && package_unit(&all->package, id, &split->file) == 0;
	pthread_mutex_unlock(&all->lock);
	return found && take_unit(split, id, &other);
}

/* The name as the compiler wrote it, below symfs and without; then beside the debug file and the binary. */
static bool try_names(struct split *split, struct splits *all, const struct unit *u, struct misfit *misfit)
{
	const struct dwarf_paths *p = all->paths;
	const char *name = die_string(u, &u->die, ATTR_DWO_NAME), *dir = die_string(u, &u->die, ATTR_COMP_DIR);
	const char *slash = "/";
	char path[PATH_MAX];

	if (!name || !name[0])
		return false;
	if (name[0] == '/' || !dir)
		dir = slash = "";
	if ((p->symfs[0] && path_print(path, "%s%s%s%s", p->symfs, dir, slash, name) &&
	     try_file(split, all, path, u->id, misfit)) ||
	    (path_print(path, "%s%s%s", dir, slash, name) && try_file(split, all, path, u->id, misfit)) ||
	    try_package(split, all, u->id))
		return true;
	name = path_base(name);
	return (path_print(path, "%.*s%s", path_dir_length(p->debug), p->debug, name) &&
		try_file(split, all, path, u->id, misfit)) ||
	       (p->binary && path_print(path, "%s%.*s%s", p->symfs, path_dir_length(p->binary), p->binary, name) &&
		try_file(split, all, path, u->id, misfit));
}

static bool id_is_free(struct splits *all, uint64_t id)
{
	bool free;

	pthread_mutex_lock(&all->lock);
	free = u64map_get(&all->used_ids, id) == U64MAP_NONE && u64map_set(&all->used_ids, id, 1) == 0;
	pthread_mutex_unlock(&all->lock);
	return free;
}

/* Whether the package, if there is one, is to blame: it is told once. */
static bool note_package(struct splits *all, const struct unit *u, struct buf *note)
{
	bool open, first;

	pthread_mutex_lock(&all->lock);
	open = package_is_open(&all->package);
	first = open && !all->told_of_package;
	all->told_of_package = open;
	pthread_mutex_unlock(&all->lock);
	if (first) {
		buf_text(note, all->package_path, strlen(all->package_path));
		buf_printf(note, " has no unit with id %016" PRIx64 ", which ", u->id);
		buf_text(note, all->paths->debug, strlen(all->paths->debug));
		buf_str(note, " needs for lines and inlined functions");
	}
	return open;
}

static void note_missing(struct splits *all, const struct unit *u, const struct misfit *misfit)
{
	const char *name = die_string(u, &u->die, ATTR_DWO_NAME);
	struct buf note = BUF_MEMORY;

	if (misfit->path[0]) {
		buf_text(&note, misfit->path, strlen(misfit->path));
		buf_printf(&note, " has the id %016" PRIx64 ", ", misfit->id);
		buf_text(&note, all->paths->debug, strlen(all->paths->debug));
		buf_printf(&note, " needs %016" PRIx64, u->id);
	} else if (!note_package(all, u, &note)) {
		buf_text(&note, all->paths->debug, strlen(all->paths->debug));
		buf_str(&note, " needs ");
		buf_text(&note, name ? name : "", name ? strlen(name) : 0);
		buf_printf(&note, " (id %016" PRIx64 ") for lines and inlined functions, which was not found", u->id);
	} else if (!note.n) {
		return;
	}
	missing_parts_add(all->missing, &note);
}

static void find(struct split *split, struct splits *all, const struct unit *skeleton, struct die_names *names)
{
	struct misfit misfit = { .path = "" };
	struct unit *u;

	if (!id_is_free(all, skeleton->id))
		return;
	if (!try_names(split, all, skeleton, &misfit)) {
		note_missing(all, skeleton, &misfit);
		return;
	}
	u = split->unit;
	u->addresses = skeleton->file;
	u->addr_base = skeleton->addr_base;
	u->low_pc = skeleton->low_pc;
	u->ranges_base = DIE_HAS(&skeleton->die, ATTR_GNU_RANGES_BASE) ? skeleton->die.value[ATTR_GNU_RANGES_BASE] : 0;
	die_names_allow(names, debug_sections_get(&split->file.sections, DEBUG_INFO).n);
}

struct unit *split_unit(struct split *split, struct splits *all, const struct unit *skeleton, struct die_names *names)
{
	pthread_mutex_lock(&split->lock);
	if (!split->looked_for)
		find(split, all, skeleton, names);
	split->looked_for = true;
	pthread_mutex_unlock(&split->lock);
	return split->unit;
}
