/* SPDX-License-Identifier: MIT */
#include "symbol/load_user.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plain_file.h"
#include "symbol/elf/plt.h"
#include "symbol/elf/symbols.h"
#include "symbol/list/perfmap.h"

#define PERFMAP_MAX ((size_t)1 << 30)

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

/* Without a build id in the recording, nothing but the times of both files tells whether it is the file that ran. */
static void doubt_newer_file(struct load *l, const struct found *running)
{
	struct stat st;

	if (l->binary->build_id_size || !l->s->recorded_s || stat(running->path, &st) < 0 ||
	    st.st_mtime <= l->s->recorded_s)
		return;
	buf_text(&l->doubt, running->path, strlen(running->path));
	buf_str(&l->doubt, " is newer than the recording, which has no build id of it: names are not verified");
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
	if (has_running) {
		doubt_newer_file(l, &running);
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

/* Anyone can put a file into /tmp: what another user says about our processes is not believed. */
static int open_map(const char *path, struct sonde_error *err)
{
	struct stat st;
	int fd = plain_file_open(path, O_NOFOLLOW, &st, err);

	if (fd < 0)
		return fd;
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		close(fd);
		return err_set(err, SONDE_DENIED, SONDE_NONE, "belongs to another user (uid %u), not believed",
			       st.st_uid);
	}
	return fd;
}

/* Read, not mapped: the process that writes it may cut it short. */
static int read_map(struct fmap *m, int fd, struct sonde_error *err)
{
	VEC(char) text = { 0 };
	ssize_t n;

	do {
		if (text.n > PERFMAP_MAX || vec_reserve(&text, 65536) < 0) {
			vec_free(&text);
			return err_nomem(err);
		}
		n = read(fd, text.at + text.n, text.cap - text.n);
		text.n += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	*m = (struct fmap){ .data = (uint8_t *)text.at, .size = text.n };
	return 0;
}

void load_jit(struct load *l)
{
	struct sonde_error err = { 0 };
	struct fmap text = { 0 };
	char path[PATH_MAX];
	size_t bad;
	int fd;

	if (l->binary->guest && !l->s->paths.symfs[0])
		return;  /* a process of the host has that number */
	snprintf(path, sizeof(path), "%s%s/perf-%d.map", l->s->paths.symfs, l->s->map_dir, l->binary->pid);
	fd = open_map(path, &err);
	if (fd >= 0) {
		read_map(&text, fd, &err);
		close(fd);
	}
	if (err.code) {
		buf_printf(&l->reason, "%s: %s", path, err.text);
		return;
	}
	l->same = SYMTAB_SAME_LAST;  /* memory is used again: the newest function is at the end */
	bad = perfmap_add(&l->builder, (const char *)text.data, text.size);
	if (bad)
		buf_printf(&l->reason, "%s: %zu lines make no sense", path, bad);
	buf_str(&l->source, path);
	fmap_close(&text);
}
