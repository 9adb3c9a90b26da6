/* SPDX-License-Identifier: MIT */
#include "symbol/load_kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/str.h"
#include "symbol/archive.h"
#include "symbol/elf/symbols.h"
#include "symbol/kcore_dir.h"
#include "symbol/module_file.h"

#define KALLSYMS_MAX ((size_t)256 << 20)
#define NOTES_MAX 8192
#define BOOT_ID_MAX 64

/* The GNU build id in the ELF notes of /sys/kernel/notes, or of a module. Its size, 0 if there is none. */
static uint8_t read_notes(const char *path, uint8_t id[20])
{
	uint8_t notes[NOTES_MAX];
	uint8_t size = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);  /* a file of sysfs has a size, but cannot be mapped */
	if (fd < 0)
		return 0;
	n = read(fd, notes, sizeof(notes));
	close(fd);
	for (struct cursor c = cur_new(notes, n > 0 ? (size_t)n : 0, 0, false, NULL); cur_left(&c) >= 12;) {
		uint32_t name_size = cur_u32(&c), desc_size = cur_u32(&c), type = cur_u32(&c);
		const uint8_t *name = cur_take(&c, ALIGN_UP((uint64_t)name_size, 4));
		const uint8_t *desc = cur_take(&c, ALIGN_UP((uint64_t)desc_size, 4));

		if (name && desc && type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    desc_size <= 20) {
			memcpy(id, desc, desc_size);
			size = (uint8_t)desc_size;
			break;
		}
	}
	return size;
}

static void read_kernel_id(struct symbols *s)
{
	pthread_mutex_lock(&s->kernel_lock);
	if (!s->kernel_id_read) {
		s->kernel_id_read = true;
		s->kernel_id_size = read_notes("/sys/kernel/notes", s->kernel_id);
	}
	pthread_mutex_unlock(&s->kernel_lock);
}

/* Reads the list that kernel and modules share, once: /proc/kallsyms takes the kernel some 50 ms to write. */
static void read_kernel(struct symbols *s)
{
	const char *path = s->opts.kallsyms ? s->opts.kallsyms : "/proc/kallsyms";

	pthread_mutex_lock(&s->kernel_lock);
	if (!s->kernel_read) {
		s->kernel_read = true;
		s->kernel_failed = fmap_path(&s->kernel_text, path, KALLSYMS_MAX, &s->kernel_err);
		if (!s->kernel_failed)
			s->kernel_failed = kallsyms_open(&s->kernel, (const char *)s->kernel_text.data,
							 s->kernel_text.size);
		if (!s->kernel_failed && kallsyms_is_hidden(&s->kernel))
			s->kernel_failed = err_set(&s->kernel_err, SONDE_DENIED, SONDE_NONE, "%s shows no addresses "
						   "(needs root, or kernel.kptr_restrict=0)", path);
	}
	pthread_mutex_unlock(&s->kernel_lock);
}

static void because(struct load *l, const char *text)
{
	if (l->reason.n)
		buf_str(&l->reason, "; ");
	buf_str(&l->reason, text);
}

/* How far the kernel of the recording lies from the addresses of a list of symbols. */
static uint64_t distance(const struct load *l, const struct kallsyms *k)
{
	uint64_t listed;

	if (!l->binary->ref_symbol || !l->binary->ref_addr || !kallsyms_value(k, l->binary->ref_symbol, &listed))
		return 0;
	return l->binary->ref_addr - listed;
}

static const struct sonde_str whole_kernel = { "", 0 };

/* The name is of a module, "" for the kernel itself. */
static bool add_kallsyms(struct load *l, const struct kallsyms *k, const char *source, struct sonde_str name)
{
	if (!kallsyms_add(k, &l->builder, name)) {
		because(l, source);
		buf_str(&l->reason, ": no symbols");
		return false;
	}
	l->bias = distance(l, k);
	buf_str(&l->source, source);
	return true;
}

static bool add_kallsyms_file(struct load *l, const char *path, struct sonde_str name)
{
	struct fmap m = { 0 };
	struct kallsyms k;
	bool added = false;

	if (fmap_path(&m, path, KALLSYMS_MAX, NULL) < 0)
		return false;
	if (kallsyms_open(&k, (const char *)m.data, m.size) == 0) {
		added = !kallsyms_is_hidden(&k) && add_kallsyms(l, &k, path, name);
		kallsyms_close(&k);
	}
	fmap_close(&m);
	return added;
}

static bool add_archived_kallsyms(struct load *l)
{
	const struct binary *b = l->binary;
	char path[PATH_MAX];
	struct kallsyms k;
	bool added = false;
	void *text;
	size_t size;

	if (!archives_take(l->s->paths.archives, b->build_id, b->build_id_size, "kallsyms", path, &text, &size))
		return false;
	if (kallsyms_open(&k, text, size) == 0) {
		added = !kallsyms_is_hidden(&k) && add_kallsyms(l, &k, path, whole_kernel);
		kallsyms_close(&k);
	}
	free(text);
	return added;
}

static bool add_vmlinux(struct load *l, const struct elf_file *f, const char *path)
{
	uint64_t linked, size;

	if (!elf_has_symbols(f, SHT_SYMTAB))
		return false;
	elf_add_symbols(&l->builder, f, SHT_SYMTAB, f, ELF_VALUE);
	if (l->binary->ref_symbol && l->binary->ref_addr &&
	    elf_symbol_value(f, SHT_SYMTAB, l->binary->ref_symbol, &linked, &size))
		l->bias = l->binary->ref_addr - linked;
	buf_str(&l->source, path);
	return true;
}

static bool add_given_vmlinux(struct load *l, const char *path)
{
	struct sonde_error err = { 0 };
	struct elf_file f;
	bool added;

	if (elf_file_open(&f, path, &err) < 0) {
		because(l, path);
		buf_printf(&l->reason, ": %s", err.text);
		return false;
	}
	added = add_vmlinux(l, &f, path);
	elf_file_close(&f);
	if (!added) {
		because(l, path);
		buf_str(&l->reason, ": has no .symtab");
	}
	return added;
}

/*
 * Is the running kernel the one of the recording? A build id decides; without one, that the kernel lies at the same
 * address.
 */
static bool is_running_kernel(struct load *l)
{
	const struct binary *b = l->binary;
	struct symbols *s = l->s;
	uint64_t listed;

	if (b->build_id_size) {
		read_kernel_id(s);
		if (build_id_equal(b->build_id, b->build_id_size, s->kernel_id, s->kernel_id_size))
			return true;
		because(l, "the running kernel has another build id than the recorded one");
		return false;
	}
	read_kernel(s);
	if (!s->kernel_failed && b->ref_symbol && kallsyms_value(&s->kernel, b->ref_symbol, &listed) &&
	    listed == b->ref_addr)
		return true;
	because(l, "nothing shows that the running kernel is the recorded one, which has no build id");
	return false;
}

/* By these a recorder tells where the kernel lies. */
static const char *const ref_symbols[2] = { "_text", "_stext" };

/*
 * A kernel of one build id always has the same symbols at the same distances, so its table holds for every boot; how
 * far it was moved is known from the reference symbol. Modules move by themselves and are not in it.
 */
static bool find_cached(struct load *l)
{
	const struct binary *b = l->binary;
	uint64_t refs[2];

	if (!b->build_id_size || !b->ref_symbol || !b->ref_addr || l->s->opts.kallsyms)
		return false;
	build_id_print(l->key.name, b->build_id, b->build_id_size);
	l->cached = cache_find(l->s->cache_dir, &l->key, refs);
	for (int i = 0; l->cached && i < 2; i++) {
		if (!strcmp(b->ref_symbol, ref_symbols[i]) && refs[i]) {
			l->bias = b->ref_addr - refs[i];
			return true;
		}
	}
	symtab_free(l->cached);
	l->cached = NULL;
	return false;
}

static bool add_running_kernel(struct load *l)
{
	struct symbols *s = l->s;

	if (find_cached(l))
		return true;
	if (!s->opts.kallsyms && !is_running_kernel(l))
		return false;
	read_kernel(s);
	if (s->kernel_failed) {
		because(l, s->kernel_err.text);
		return false;
	}
	for (int i = 0; i < 2; i++)
		if (!kallsyms_value(&s->kernel, ref_symbols[i], &l->refs[i]))
			l->refs[i] = 0;
	return add_kallsyms(l, &s->kernel, s->opts.kallsyms ? s->opts.kallsyms : "/proc/kallsyms", whole_kernel);
}

/* A vmlinux of a debug package. */
static bool add_packaged_vmlinux(struct load *l)
{
	struct buf ignored = BUF_MEMORY;
	struct found f;
	bool added = false;

	if (!l->binary->build_id_size)
		return false;
	if (!find_local_debug_file(&f, &l->s->paths, l->binary, NULL) ||
	    !find_running_file(&f, &l->s->paths, l->binary, NULL, &ignored)) {
		added = add_vmlinux(l, &f.elf, f.path);
		elf_file_close(&f.elf);
	}
	buf_free(&ignored);
	return added;
}

void load_kernel(struct load *l)
{
	struct symbols *s = l->s;
	char path[PATH_MAX];
	struct found f;

	if (s->opts.vmlinux) {
		add_given_vmlinux(l, s->opts.vmlinux);
		return;
	}
	if (l->binary->guest && !s->opts.kallsyms) {
		because(l, "the kernel of a guest: give its kallsyms or vmlinux");
		return;
	}
	if (add_running_kernel(l) || s->opts.kallsyms)
		return;
	l->key.name[0] = 0;
	if (kcore_dir_find(path, l) && add_kallsyms_file(l, path, whole_kernel))
		return;
	if (find_buildid_path(path, &s->paths, l->binary, "kallsyms") && add_kallsyms_file(l, path, whole_kernel))
		return;
	if (add_archived_kallsyms(l))
		return;
	if (!add_packaged_vmlinux(l) && (!find_vmlinux(&f, &s->paths, l->binary) ||
					 !find_debug_file(&f, &s->paths, l->binary, NULL))) {
		if (add_vmlinux(l, &f.elf, f.path) && !l->binary->build_id_size)
			buf_printf(&l->doubt, "%s has the release of the recorded kernel, but the recording has no "
				   "build id of it: names are not verified", f.path);
		elf_file_close(&f.elf);
	}
}

/* Is the module that is loaded now the recorded one, at the same place? */
static bool is_loaded_module(struct load *l, struct sonde_str name)
{
	const struct binary *b = l->binary;
	char path[NAME_MAX + 64];
	uint8_t id[20];
	uint8_t id_size;
	uint64_t addr = 0;

	if (!kcore_dir_module("/proc/modules", name, &addr) || !addr || addr != b->ref_addr ||
	    memchr(name.p, '/', name.len))
		return false;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name.p);
	id_size = read_notes(path, id);
	return !b->build_id_size || build_id_equal(b->build_id, b->build_id_size, id, id_size);
}

/*
 * The symbols of a loaded module are absolute addresses, which are others after the next boot, and may be after it is
 * loaded again: /sys then has another inode for it.
 */
static bool find_cached_module(struct load *l, struct sonde_str name)
{
	const struct binary *b = l->binary;
	char path[NAME_MAX + 16], id[BUILD_ID_TEXT];
	struct fmap boot = { 0 };
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", name.p);
	if (!b->build_id_size || stat(path, &st) < 0 ||
	    fmap_path(&boot, "/proc/sys/kernel/random/boot_id", BOOT_ID_MAX, NULL) < 0)
		return false;
	build_id_print(id, b->build_id, b->build_id_size);
	snprintf(l->key.name, sizeof(l->key.name), "module-%s", id);
	l->key.identity[0] = hash_two(hash_bytes(name.p, name.len), hash_two(st.st_ino, b->ref_addr));
	l->key.identity[1] = hash_bytes(boot.data, boot.size);
	fmap_close(&boot);
	l->cached = cache_find(l->s->cache_dir, &l->key, NULL);
	l->keep_small = true;  /* one module of two symbols that is not kept costs as much as all */
	return l->cached;
}

static void add_ko(struct load *l)
{
	struct found f;

	if (find_module(&f, &l->s->paths, l->binary, &l->reason) < 0)
		return;
	elf_add_symbols(&l->builder, &f.elf, SHT_SYMTAB, &f.elf, ELF_MODULE);
	l->bias = l->binary->ref_addr;
	buf_str(&l->source, f.path);
	elf_file_close(&f.elf);
}

void load_module(struct load *l)
{
	struct symbols *s = l->s;
	char buf[NAME_MAX];
	struct sonde_str name = kcore_dir_module_name(buf, l->binary->name);
	char list[PATH_MAX];

	if (s->opts.kallsyms || (!l->binary->guest && is_loaded_module(l, name))) {
		if (!s->opts.kallsyms && find_cached_module(l, name))
			return;
		read_kernel(s);
		if (s->kernel_failed)
			because(l, s->kernel_err.text);
		else if (kallsyms_add(&s->kernel, &l->builder, name)) {
			buf_str(&l->source, s->opts.kallsyms ? s->opts.kallsyms : "/proc/kallsyms");
			return;
		}
		l->key.name[0] = 0;
	}
	if (!s->opts.kallsyms && kcore_dir_find(list, l) && add_kallsyms_file(l, list, name)) {
		l->bias = 0;
		return;
	}
	add_ko(l);
}

bool load_kernel_is_same_boot(struct load *l)
{
	const struct binary *b = l->binary;
	char name[NAME_MAX];
	uint64_t listed;

	if (b->kind == BINARY_MODULE)
		return is_loaded_module(l, kcore_dir_module_name(name, b->name));
	if (!b->build_id_size || !is_running_kernel(l) || !b->ref_symbol)
		return false;
	read_kernel(l->s);
	return !l->s->kernel_failed && kallsyms_value(&l->s->kernel, b->ref_symbol, &listed) && listed == b->ref_addr;
}
