/* SPDX-License-Identifier: MIT */
#include "symbol/find_file.h"

#include <elfutils/libdwelf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/plain_file.h"

static bool __attribute__((format(printf, 2, 3))) path_print(char path[PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, PATH_MAX, fmt, ap);
	va_end(ap);
	return n > 0 && n < PATH_MAX;
}

bool find_buildid_path(char path[PATH_MAX], const struct find_paths *p, const struct binary *b, const char *member)
{
	char id[BUILD_ID_TEXT];
	size_t size = b->build_id_size;

	/*
	 * A size that an older recorder did not write down counts as 20; the id in the name is as long as it really
	 * is.
	 */
	if (size == 20 && !memcmp(b->build_id + 16, "\0\0\0\0", 4))
		size = 16;
	if (!p->buildid_dir[0] || size < 2)
		return false;
	build_id_print(id, b->build_id, size);
	return path_print(path, "%s/.build-id/%.2s/%s%s%s", p->buildid_dir, id, id + 2, member[0] ? "/" : "", member);
}

static void note(struct buf *reason, const char *path, const char *what)
{
	if (reason->n)
		buf_str(reason, "; ");
	buf_text(reason, path, strlen(path));
	buf_str(reason, ": ");
	buf_str(reason, what);
}

/* Opens f->path if it is an ELF file with the id. */
static bool open_if_fits(struct found *f, const uint8_t *id, size_t id_size, struct buf *reason)
{
	struct sonde_error err = { 0 };
	char want[BUILD_ID_TEXT], have[BUILD_ID_TEXT];

	if (elf_file_open(&f->elf, f->path, &err) < 0) {
		note(reason, f->path, err.text);
		return false;
	}
	if (!id_size || build_id_equal(id, id_size, f->elf.build_id, f->elf.build_id_size))
		return true;
	build_id_print(want, id, id_size);
	build_id_print(have, f->elf.build_id, f->elf.build_id_size);
	if (reason->n)
		buf_str(reason, "; ");
	buf_text(reason, f->path, strlen(f->path));
	if (have[0])
		buf_printf(reason, ": build id is %s, recorded was %s", have, want);
	else
		buf_printf(reason, ": has no build id, recorded was %s", want);
	elf_file_close(&f->elf);
	return false;
}

int find_running_file(struct found *f, const struct find_paths *p, const struct binary *b, const char *path,
		      struct buf *reason)
{
	static const char *const members[] = { "elf", "" };
	struct buf cached = BUF_MEMORY;
	int r = -SONDE_MISSING;

	/* a file of this name on the host is another one, unless its build id says that it is not */
	if (b->guest && !b->build_id_size && !p->symfs[0])
		note(reason, b->name, "is on a guest: give --symfs");
	else if (path && path[0] == '/' && path_print(f->path, "%s%s", p->symfs, path) &&
	    open_if_fits(f, b->build_id, b->build_id_size, reason))
		return 0;
	for (size_t i = 0; r < 0 && i < ARRAY_SIZE(members); i++)
		if (find_buildid_path(f->path, p, b, members[i]) &&
		    open_if_fits(f, b->build_id, b->build_id_size, &cached))
			r = 0;
	buf_free(&cached);  /* that nothing is in the cache is not worth a word */
	return r;
}

static bool crc_is(const char *path, uint32_t want)
{
	uint8_t piece[65536];
	uLong crc = crc32(0, NULL, 0);
	int fd = plain_file_open(path, 0, NULL, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t n;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		crc = crc32(crc, piece, (uInt)n);
	fclose(file);
	return crc == want;
}

struct debug_search {
	struct found *f;
	const uint8_t *id;
	size_t id_size;
	struct buf reason;           /* nobody reads it: most of the places are empty on every machine */
};

static bool take_if_good(struct debug_search *s)
{
	GElf_Shdr sh;

	if (!open_if_fits(s->f, s->id, s->id_size, &s->reason))
		return false;
	if (elf_file_section_of_type(&s->f->elf, SHT_SYMTAB, &sh))
		return true;
	elf_file_close(&s->f->elf);
	return false;
}

static bool by_build_id(struct debug_search *s, const struct find_paths *p, const struct binary *b)
{
	char id[BUILD_ID_TEXT];

	if (s->id_size < 2)
		return false;
	build_id_print(id, s->id, s->id_size);
	for (const char *const *dir = p->debug_dirs; *dir; dir++)
		if (path_print(s->f->path, "%s%s/.build-id/%.2s/%s.debug", p->symfs, *dir, id, id + 2) &&
		    take_if_good(s))
			return true;
	return find_buildid_path(s->f->path, p, b, "debug") && take_if_good(s);
}

/* Without a build id the checksum in the link tells whether a file is the right one. */
static bool take_linked(struct debug_search *s, uint32_t crc)
{
	return (s->id_size || crc_is(s->f->path, crc)) && take_if_good(s);
}

static bool by_link(struct debug_search *s, const struct find_paths *p, const char *path, const struct found *running)
{
	const char *link, *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path) : 0;
	GElf_Word crc;

	link = running ? dwelf_elf_gnu_debuglink(running->elf.elf, &crc) : NULL;
	if (!link || !link[0] || strchr(link, '/') || path[0] != '/')
		return false;
	if ((path_print(s->f->path, "%s%.*s/%s", p->symfs, dir_len, path, link) && take_linked(s, crc)) ||
	    (path_print(s->f->path, "%s%.*s/.debug/%s", p->symfs, dir_len, path, link) && take_linked(s, crc)))
		return true;
	for (const char *const *dir = p->debug_dirs; *dir; dir++)
		if (path_print(s->f->path, "%s%s%.*s/%s", p->symfs, *dir, dir_len, path, link) && take_linked(s, crc))
			return true;
	return false;
}

/* Where Fedora and Ubuntu put them; only the build id tells whether such a file fits. */
static bool by_path(struct debug_search *s, const struct find_paths *p, const char *path)
{
	if (path[0] != '/' || !s->id_size)
		return false;
	for (const char *const *dir = p->debug_dirs; *dir; dir++)
		if ((path_print(s->f->path, "%s%s%s.debug", p->symfs, *dir, path) && take_if_good(s)) ||
		    (path_print(s->f->path, "%s%s%s", p->symfs, *dir, path) && take_if_good(s)))
			return true;
	return false;
}

int find_debug_file(struct found *f, const struct find_paths *p, const struct binary *b, const struct found *running)
{
	struct debug_search s = { .f = f, .reason = BUF_MEMORY };
	bool found;

	/* The id in the file itself is as long as it should be; recorded ones may be padded. */
	s.id = running ? running->elf.build_id : b->build_id;
	s.id_size = running ? running->elf.build_id_size : b->build_id_size;
	found = by_build_id(&s, p, b) || by_link(&s, p, b->name, running) || by_path(&s, p, b->name);
	buf_free(&s.reason);
	return found ? 0 : -SONDE_MISSING;
}

/* The image that the kernel maps into this very process. It ends with its section headers. */
static bool own_vdso(struct elf_file *f)
{
	uintptr_t at = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) eh;
	size_t size;
	void *copy;

	if (!at)
		return false;
	memcpy(&eh, (const void *)at, sizeof(eh));
	size = (size_t)eh.e_shoff + (size_t)eh.e_shnum * eh.e_shentsize;
	copy = malloc(size);
	if (!copy)
		return false;
	memcpy(copy, (const void *)at, size);
	return elf_file_open_memory(f, copy, size, NULL) == 0;
}

int find_vdso(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason)
{
	struct buf elsewhere = BUF_MEMORY;
	char id[BUILD_ID_TEXT];
	int r = -SONDE_MISSING;

	build_id_print(id, b->build_id, b->build_id_size);
	if (!strcmp(b->name, "[vdso]") && (b->build_id_size || !b->guest) && own_vdso(&f->elf)) {
		strcpy(f->path, "[vdso] of this process");
		if (!b->build_id_size ||
		    build_id_equal(b->build_id, b->build_id_size, f->elf.build_id, f->elf.build_id_size))
			return 0;
		elf_file_close(&f->elf);
		buf_str(reason, "the vdso of this kernel has another build id");
	}
	/* where the link points to, because an archive may have lost it */
	if (p->buildid_dir[0] && b->build_id_size &&
	    path_print(f->path, "%s/[vdso]/%s/vdso", p->buildid_dir, id) &&
	    open_if_fits(f, b->build_id, b->build_id_size, &elsewhere))
		r = 0;
	else if (find_buildid_path(f->path, p, b, "vdso") &&
		 open_if_fits(f, b->build_id, b->build_id_size, reason))
		r = 0;
	buf_free(&elsewhere);
	return r;
}
