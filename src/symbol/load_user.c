/* SPDX-License-Identifier: MIT */
#include "symbol/load_user.h"

#include <inttypes.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/archive.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/plt.h"
#include "symbol/elf/symbols.h"
#include "symbol/elf/zip.h"

/* Symbols for one linked image from itself alone. Returns where the names of .dynsym lie, if they were added. */
static uint32_t add_own(struct load *l, const struct elf_file *f)
{
	struct elf_file inner;
	uint32_t names;

	if (elf_has_symbols(f, SHT_SYMTAB)) {
		elf_add_symbols(&l->builder, f, SHT_SYMTAB, f, ELF_FILE_OFFSET);
		buf_str(&l->source, " (.symtab)");
		return SYMTAB_NONE;
	}
	names = elf_add_symbols(&l->builder, f, SHT_DYNSYM, f, ELF_FILE_OFFSET);
	if (elf_file_open_debugdata(&inner, f, NULL) == 0) {
		elf_add_symbols(&l->builder, &inner, SHT_SYMTAB, f, ELF_FILE_OFFSET);
		elf_file_close(&inner);
		buf_str(&l->source, " (.dynsym, .gnu_debugdata)");
		return names;
	}
	buf_str(&l->source, " (.dynsym)");
	return names;
}

/* Looks for the table that an earlier run made from the same files. */
static bool find_cached(struct load *l, const struct elf_file *running, const struct elf_file *debug)
{
	const struct elf_file *f = running ? running : debug;

	if (f->build_id_size)
		build_id_print(l->key.name, f->build_id, f->build_id_size);
	else
		snprintf(l->key.name, sizeof(l->key.name), "file-%016" PRIx64, f->identity);
	l->key.identity[0] = running ? running->identity : 0;
	l->key.identity[1] = debug ? debug->identity : 0;
	l->cached = cache_find(l->s->cache_dir, &l->key, NULL);
	return l->cached;
}

static void add_files(struct load *l, const struct found *running, const struct found *debug)
{
	const struct elf_file *layout = running ? &running->elf : &debug->elf;
	uint32_t names = SYMTAB_NONE;

	buf_str(&l->source, debug ? debug->path : running->path);
	if (debug) {
		buf_str(&l->source, " (.symtab)");
		elf_add_symbols(&l->builder, &debug->elf, SHT_SYMTAB, layout, ELF_FILE_OFFSET);
	} else {
		names = add_own(l, &running->elf);
	}
	if (running)
		elf_add_plt(&l->builder, &running->elf, names);
}

/* Without the file that ran, offsets in it may have to be guessed. */
static void doubt_guessed_offsets(struct load *l, const struct found *debug)
{
	struct elf_loads loads;

	elf_loads_read(&loads, &debug->elf);
	if (!loads.guessed)
		return;
	buf_text(&l->doubt, debug->path, strlen(debug->path));
	buf_str(&l->doubt, ": without the program itself its layout is guessed, so names may be wrong");
}

/* Without a build id in the recording, nothing but the times of both files tells whether it is the file that ran. */
static void doubt_newer_file(struct load *l, const char *path)
{
	struct stat st;

	if (l->binary->build_id_size || !l->s->recorded_s || stat(path, &st) < 0 || st.st_mtime <= l->s->recorded_s)
		return;
	buf_text(&l->doubt, path, strlen(path));
	buf_str(&l->doubt, " is newer than the recording, which has no build id of it: names are not verified");
}

/* All libraries of a zip file: the addresses of a mapping are offsets in the whole. */
static void add_zip(struct load *l)
{
	char path[PATH_MAX];
	struct elf_file f;
	struct zip z;

	if (l->binary->build_id_size || l->binary->name[0] != '/' ||
	    snprintf(path, sizeof(path), "%s%s", l->s->paths.symfs, l->binary->name) >= (int)sizeof(path) ||
	    zip_open(&z, path, NULL) < 0)
		return;
	for (size_t i = 0; i < z.libraries.n; i++) {
		if (zip_open_library(&f, &z, i, NULL) < 0)
			continue;
		add_own(l, &f);
		elf_file_close(&f);
	}
	if (z.libraries.n) {
		l->source.n = 0;
		buf_str(&l->source, path);
		doubt_newer_file(l, path);
	}
	zip_close(&z);
}

/* Perf's cache and what `perf archive` makes of it have the builds of a binary side by side, below its path. */
static void doubt_other_build(struct load *l)
{
	const struct binary *b = l->binary;
	char path[PATH_MAX], id[BUILD_ID_TEXT];
	struct dirent *entry;
	DIR *dir = NULL;

	if (archives_have_other_build(l->s->paths.archives, b->name, b->build_id, b->build_id_size, &l->doubt) ||
	    !b->build_id_size || !l->s->paths.buildid_dir[0] || b->name[0] != '/')
		return;
	if (snprintf(path, sizeof(path), "%s%s", l->s->paths.buildid_dir, b->name) < (int)sizeof(path))
		dir = opendir(path);
	build_id_print(id, b->build_id, b->build_id_size);
	while (dir && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);

		if (n < 4 || n >= sizeof(id) || strspn(entry->d_name, "0123456789abcdef") != n ||
		    !strcmp(entry->d_name, id))
			continue;
		buf_text(&l->doubt, path, strlen(path));
		buf_printf(&l->doubt, " has build %s of it, and build %s was recorded", entry->d_name, id);
		break;
	}
	if (dir)
		closedir(dir);
}

void load_user(struct load *l)
{
	struct found running, debug;
	bool has_running, has_debug = false;

	has_running = !find_running_file(&running, &l->s->paths, l->binary, l->binary->name, &l->reason);
	if (!has_running || !elf_has_symbols(&running.elf, SHT_SYMTAB))
		has_debug = !find_debug_file(&debug, &l->s->paths, l->binary, has_running ? &running : NULL);
	if ((has_running || has_debug) &&
	    !find_cached(l, has_running ? &running.elf : NULL, has_debug ? &debug.elf : NULL))
		add_files(l, has_running ? &running : NULL, has_debug ? &debug : NULL);
	if (!has_running && !has_debug)
		add_zip(l);
	if (!has_running && has_debug)
		doubt_guessed_offsets(l, &debug);
	if (!has_running && !has_debug)
		buf_str(&l->doubt, archives_failure(l->s->paths.archives));
	if (!has_running && !has_debug && !l->doubt.n)
		doubt_other_build(l);
	if (has_running) {
		doubt_newer_file(l, running.path);
		elf_file_close(&running.elf);
	}
	if (has_debug)
		elf_file_close(&debug.elf);
}

void load_vdso(struct load *l)
{
	struct found f;

	if (find_vdso(&f, &l->s->paths, l->binary, &l->reason) < 0)
		return;
	buf_str(&l->source, f.path);
	add_own(l, &f.elf);
	elf_file_close(&f.elf);
}
