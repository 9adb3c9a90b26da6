/* SPDX-License-Identifier: MIT */
#include "symbol/find_file.h"

#include <elfutils/libdwelf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/path.h"
#include "base/plain_file.h"
#include "symbol/archive.h"
#include "symbol/bundle_elf.h"
#include "symbol/bundles.h"
#include "symbol/fetch.h"

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
static bool open_if_fits(struct found *f, const struct find_paths *p, const uint8_t *id, size_t id_size,
			 struct buf *reason)
{
	struct sonde_error err = { 0 };
	char want[BUILD_ID_TEXT], have[BUILD_ID_TEXT];

	if (elf_file_open(&f->elf, f->path, &err) < 0) {
		if (err.code == SONDE_NOMEM)
			__atomic_store_n(p->out_of_memory, true, __ATOMIC_RELAXED);
		note(reason, f->path, err.text);
		f->lack = err.code == SONDE_DENIED ? SONDE_LACK_PERMISSION :
			  err.code == SONDE_SYSTEM ? SONDE_LACK_FILE : SONDE_LACK_DAMAGED;
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
	f->lack = SONDE_LACK_OTHER_ID;
	elf_file_close(&f->elf);
	return false;
}

/* The directories below which paths are looked for. */
struct roots {
	const char *at[2];
	size_t n;
};

static struct roots roots_of(const struct find_paths *p)
{
	struct roots r = { { p->sysroot, p->symfs }, 2 };

	if (!p->sysroot[0])
		r = (struct roots){ { p->symfs }, 1 };
	return r;
}

/* A file of this name may be another one than the recorded: its build id decides, and a deleted file needs one. */
static bool running_by_path(struct found *f, const struct find_paths *p, const struct binary *b, const char *path,
			    struct buf *reason)
{
	const struct roots roots = roots_of(p);
	struct buf missing = BUF_MEMORY;
	int n = (int)path_undeleted_length(path);
	bool found = false;

	if (path[0] != '/' || (path[n] && !b->build_id_size))
		n = (int)strlen(path);
	for (size_t i = 0; path[0] == '/' && i < roots.n && !found; i++)
		found = path_print(f->path, "%s%.*s", roots.at[i], n, path) &&
			open_if_fits(f, p, b->build_id, b->build_id_size, i + 1 < roots.n ? &missing : reason);
	buf_free(&missing);
	return found;
}

static bool running_by_id(struct found *f, const struct find_paths *p, const struct binary *b)
{
	static const char *const members[] = { "elf", "" };
	const struct roots roots = roots_of(p);
	struct buf missing = BUF_MEMORY;  /* most of the places are empty on every machine */
	char id[BUILD_ID_TEXT];
	bool found = false;

	if (b->build_id_size < 2)
		return false;
	build_id_print(id, b->build_id, b->build_id_size);
	for (size_t i = 0; i < ARRAY_SIZE(members) && !found; i++)
		found = find_buildid_path(f->path, p, b, members[i]) &&
			open_if_fits(f, p, b->build_id, b->build_id_size, &missing);
	/* Fedora has links to the programs there */
	for (size_t i = 0; i < roots.n && !found; i++)
		found = path_print(f->path, "%s/usr/lib/.build-id/%.2s/%s", roots.at[i], id, id + 2) &&
			open_if_fits(f, p, b->build_id, b->build_id_size, &missing);
	buf_free(&missing);
	return found;
}

/* A file of the build id from an archive. */
static bool from_archive(struct found *f, const struct find_paths *p, const uint8_t *id, size_t id_size,
			 const char *member)
{
	void *bytes;
	size_t size;

	if (!archives_take(p->archives, id, id_size, member, f->path, &bytes, &size) ||
	    elf_file_open_memory(&f->elf, bytes, size, NULL) < 0)
		return false;
	if (build_id_equal(id, id_size, f->elf.build_id, f->elf.build_id_size))
		return true;
	elf_file_close(&f->elf);
	return false;
}

/* Parts of a file, from the first bundle that has them. */
static bool from_bundle(struct found *f, const struct find_paths *p, const struct binary *b, enum bundle_kind kind)
{
	uint8_t *bytes;
	size_t size;

	for (size_t i = p->bundles ? p->bundles->list.n : 0; i-- > 0;) {  /* that of the recording at hand first */
		int r;

		if (!bundles_take(p->bundles, i, b, kind, &bytes, &size))
			continue;
		r = bundle_elf_decode(&f->elf, bytes, size);
		free(bytes);
		if (r < 0)
			continue;
		path_print(f->path, "the bundle");
		if (!b->build_id_size ||
		    build_id_equal(b->build_id, b->build_id_size, f->elf.build_id, f->elf.build_id_size))
			return true;
		elf_file_close(&f->elf);
	}
	return false;
}

static int found_at(struct found *f, enum sonde_symbols_place place)
{
	f->place = place;
	f->lack = SONDE_LACK_NOTHING;
	return 0;
}

int find_running_file(struct found *f, const struct find_paths *p, const struct binary *b, const char *path,
		      struct buf *reason)
{
	enum sonde_symbols_lack lack;

	f->lack = SONDE_LACK_FILE;
	/* the whole file is better than parts of it, but without a build id nothing tells that it is the same */
	if (!b->build_id_size && b->kind == BINARY_FILE && from_bundle(f, p, b, BUNDLE_ELF))
		return found_at(f, SONDE_PLACE_BUNDLE);
	/* a file of this name on the host is another one, unless its build id says that it is not */
	if (b->guest && !b->build_id_size && !p->symfs[0]) {
		note(reason, b->name, "is on a guest: give --symfs");
		f->lack = SONDE_LACK_GUEST;
	} else if (path && running_by_path(f, p, b, path, reason)) {
		return found_at(f, SONDE_PLACE_FILE);
	}
	lack = f->lack;
	if (running_by_id(f, p, b))
		return found_at(f, SONDE_PLACE_CACHE);
	if (b->kind == BINARY_FILE && from_bundle(f, p, b, BUNDLE_ELF))
		return found_at(f, SONDE_PLACE_BUNDLE);
	if (from_archive(f, p, b->build_id, b->build_id_size, "elf"))
		return found_at(f, SONDE_PLACE_ARCHIVE);
	if (fetcher_find(p->fetcher, f->path, FETCH_EXECUTABLE, b->build_id, b->build_id_size) &&
	    open_if_fits(f, p, b->build_id, b->build_id_size, reason))
		return found_at(f, SONDE_PLACE_DEBUGINFOD);
	f->lack = lack;
	return -SONDE_MISSING;
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
	const struct find_paths *p;
	const char *path;            /* as recorded; the length is without "(deleted)" */
	int path_len, dir_len;
	const uint8_t *id;
	size_t id_size;
	GElf_Word crc;               /* of the debug file, as .gnu_debuglink says */
	struct buf reason;           /* nobody reads it: most of the places are empty on every machine */
};

static bool take_if_good(struct debug_search *s)
{
	GElf_Shdr sh;

	if (!open_if_fits(s->f, s->p, s->id, s->id_size, &s->reason))
		return false;
	if (elf_file_section_of_type(&s->f->elf, SHT_SYMTAB, &sh))
		return true;
	elf_file_close(&s->f->elf);
	return false;
}

static bool __attribute__((format(printf, 2, 3))) try_path(struct debug_search *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->f->path, PATH_MAX, fmt, ap);
	va_end(ap);
	if (n <= 0 || n >= PATH_MAX)
		return false;
	/* without a build id the checksum in the link tells whether a file is the right one */
	return (s->id_size || crc_is(s->f->path, s->crc)) && take_if_good(s);
}

static bool by_build_id(struct debug_search *s, const char *root)
{
	char id[BUILD_ID_TEXT];

	if (s->id_size < 2)
		return false;
	build_id_print(id, s->id, s->id_size);
	for (const char *const *dir = s->p->debug_dirs; *dir; dir++)
		if (try_path(s, "%s%s/.build-id/%.2s/%s.debug", root, *dir, id, id + 2))
			return true;
	return false;
}

static bool by_link(struct debug_search *s, const char *root, const char *link)
{
	int dir_len = s->dir_len;

	if (link[0] == '/')
		return try_path(s, "%s%s", root, link);
	if (!link[0] || strchr(link, '/'))
		return false;
	if (try_path(s, "%s%.*s/%s", root, dir_len, s->path, link) ||
	    try_path(s, "%s%.*s/.debug/%s", root, dir_len, s->path, link))
		return true;
	for (const char *const *dir = s->p->debug_dirs; *dir; dir++)
		if (try_path(s, "%s%s%.*s/%s", root, *dir, dir_len, s->path, link))
			return true;
	return false;
}

/* Where distributions put the debug file of a path; only the build id tells whether such a file fits. */
static bool by_path(struct debug_search *s, const char *root)
{
	static const char merged[] = "/usr/lib/";
	bool in_usr = !strncmp(s->path, merged, sizeof(merged) - 1);
	int dir_len = s->dir_len, len = s->path_len;

	if (!s->id_size)
		return false;
	for (const char *const *dir = s->p->debug_dirs; *dir; dir++)
		if (try_path(s, "%s%s%.*s.debug", root, *dir, len, s->path) ||          /* Fedora */
		    try_path(s, "%s%s%.*s", root, *dir, len, s->path) ||                /* Debian */
		    (in_usr && try_path(s, "%s%s%.*s", root, *dir, len - 4, s->path + 4))) /* Ubuntu: without /usr */
			return true;
	return try_path(s, "%s%.*s/.debug%.*s", root, dir_len, s->path, len - dir_len,
			s->path + dir_len);  /* OpenEmbedded */
}

static void begin_search(struct debug_search *s, struct found *f, const struct find_paths *p, const struct binary *b,
			 const struct found *running)
{
	const char *slash;

	*s = (struct debug_search){ .f = f, .p = p, .reason = BUF_MEMORY, .path = b->name,
				    .path_len = (int)path_undeleted_length(b->name) };
	/* The id in the file itself is as long as it should be; recorded ones may be padded. */
	s->id = running ? running->elf.build_id : b->build_id;
	s->id_size = running ? running->elf.build_id_size : b->build_id_size;
	slash = memrchr(s->path, '/', (size_t)s->path_len);
	s->dir_len = slash ? (int)(slash - s->path) : 0;
}

int find_local_debug_file(struct found *f, const struct find_paths *p, const struct binary *b,
			  const struct found *running)
{
	const struct roots roots = roots_of(p);
	struct debug_search s;
	const char *link;
	bool found = false;

	begin_search(&s, f, p, b, running);
	link = running ? dwelf_elf_gnu_debuglink(running->elf.elf, &s.crc) : NULL;
	for (size_t i = 0; i < roots.n && !found; i++)
		found = by_build_id(&s, roots.at[i]);
	if (!found && s.id_size >= 2)
		found = find_buildid_path(f->path, p, b, "debug") && take_if_good(&s);
	for (size_t i = 0; i < roots.n && !found && s.path[0] == '/'; i++)
		found = (link && by_link(&s, roots.at[i], link)) || by_path(&s, roots.at[i]);
	f->place = SONDE_PLACE_DEBUG_FILE;
	if (!found) {
		found = from_archive(f, p, s.id, s.id_size, "debug");
		f->place = SONDE_PLACE_ARCHIVE;
	}
	buf_free(&s.reason);
	return found ? 0 : -SONDE_MISSING;
}

int find_bundled_debug_file(struct found *f, const struct find_paths *p, const struct binary *b)
{
	f->place = SONDE_PLACE_BUNDLE;
	return from_bundle(f, p, b, BUNDLE_DEBUG_ELF) ? 0 : -SONDE_MISSING;
}

int find_debug_file(struct found *f, const struct find_paths *p, const struct binary *b, const struct found *running)
{
	struct debug_search s;
	bool found;

	if (find_local_debug_file(f, p, b, running) == 0)
		return 0;
	if (b->kind == BINARY_KERNEL && !p->fetch_kernel)  /* hundreds of megabytes for names that kallsyms has too */
		return -SONDE_MISSING;
	begin_search(&s, f, p, b, running);
	found = fetcher_find(p->fetcher, f->path, FETCH_DEBUGINFO, s.id, s.id_size) && take_if_good(&s);
	f->place = SONDE_PLACE_DEBUGINFOD;
	buf_free(&s.reason);
	return found ? 0 : -SONDE_MISSING;
}

int find_vmlinux(struct found *f, const struct find_paths *p, const struct binary *b)
{
	static const char *const places[] = {
		"vmlinux", "/boot/vmlinux", "/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	struct debug_search s = { .f = f, .p = p, .id = b->build_id, .id_size = b->build_id_size,
				  .reason = BUF_MEMORY };
	const struct roots roots = roots_of(p);
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
		const char *mark = strstr(places[i], "%s");
		int before = mark ? (int)(mark - places[i]) : (int)strlen(places[i]);

		if (mark ? !p->release[0] : !b->build_id_size)
			continue;
		for (size_t k = 0; k < roots.n && !found; k++)
			found = path_print(f->path, "%s%s%.*s%s%s", roots.at[k],
					   roots.at[k][0] && places[i][0] != '/' ? "/" : "", before, places[i],
					   mark ? p->release : "", mark ? mark + 2 : "") &&
				take_if_good(&s);
	}
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

/* Whether a vdso without a build id is taken for this kernel's: another release has another one. */
static bool is_release_here(const char *release)
{
	struct utsname here;

	return !*release || (uname(&here) == 0 && !strcmp(here.release, release));
}

static int find_any_vdso(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason)
{
	struct buf elsewhere = BUF_MEMORY;
	char id[BUILD_ID_TEXT];
	int r = -SONDE_MISSING;

	if (from_bundle(f, p, b, BUNDLE_ELF))
		return found_at(f, SONDE_PLACE_BUNDLE);
	build_id_print(id, b->build_id, b->build_id_size);
	if (!b->build_id_size && !is_release_here(p->release))
		buf_printf(reason, "it has no build id, and kernel %s recorded it", p->release);
	else if (!strcmp(b->name, "[vdso]") && (b->build_id_size || !b->guest) && own_vdso(&f->elf)) {
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
	    open_if_fits(f, p, b->build_id, b->build_id_size, &elsewhere))
		r = 0;
	else if (find_buildid_path(f->path, p, b, "vdso") &&
		 open_if_fits(f, p, b->build_id, b->build_id_size, reason))
		r = 0;
	else if (from_archive(f, p, b->build_id, b->build_id_size, "vdso"))
		r = 0;
	buf_free(&elsewhere);
	return r;
}

/* Programs of both widths name it alike, and a build id in the header of a recording is given by name. */
int find_vdso(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason)
{
	int r = find_any_vdso(f, p, b, reason);

	if (r < 0 || !b->narrow || f->elf.ehdr.e_ident[EI_CLASS] == ELFCLASS32)
		return r;
	elf_file_close(&f->elf);
	buf_str(reason, "it is that of a program of 32 bits, which is not here");
	return -SONDE_MISSING;
}
