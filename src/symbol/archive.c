/* SPDX-License-Identifier: MIT */
#include "symbol/archive.h"

#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/library.h"
#include "base/plain_file.h"
#include "base/vec.h"
#include "symbol/elf/file.h"

#define BYTES_MOST ((size_t)1 << 30)  /* of all files that are kept */
#define BLOCK 65536
#define ID_CHARS_MOST (BUILD_ID_TEXT - 1)

/* From <archive.h>, which is not needed otherwise: the library is loaded when there is an archive. */
enum { ARCHIVE_OK = 0, ARCHIVE_EOF = 1, ARCHIVE_WARN = -20 };

static struct {
	bool loaded;
	void *(*read_new)(void);
	int (*read_free)(void *);
	int (*filters[4])(void *);
	int (*format_tar)(void *);
	int (*open_fd)(void *, int fd, size_t block);
	int (*open_memory)(void *, const void *p, size_t n);
	int (*next_header)(void *, void **entry);
	ssize_t (*read_data)(void *, void *p, size_t n);
	const char *(*pathname)(void *entry);
	const char *(*error_string)(void *);
} libarchive;

static void load_libarchive(void)
{
	void *l = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);

	libarchive.loaded = l && library_function(l, "archive_read_new", &libarchive.read_new) &&
			    library_function(l, "archive_read_free", &libarchive.read_free) &&
			    library_function(l, "archive_read_support_filter_bzip2", &libarchive.filters[0]) &&
			    library_function(l, "archive_read_support_filter_gzip", &libarchive.filters[1]) &&
			    library_function(l, "archive_read_support_filter_xz", &libarchive.filters[2]) &&
			    library_function(l, "archive_read_support_filter_zstd", &libarchive.filters[3]) &&
			    library_function(l, "archive_read_support_format_tar", &libarchive.format_tar) &&
			    library_function(l, "archive_read_open_fd", &libarchive.open_fd) &&
			    library_function(l, "archive_read_open_memory", &libarchive.open_memory) &&
			    library_function(l, "archive_read_next_header", &libarchive.next_header) &&
			    library_function(l, "archive_read_data", &libarchive.read_data) &&
			    library_function(l, "archive_entry_pathname", &libarchive.pathname) &&
			    library_function(l, "archive_error_string", &libarchive.error_string);
}

struct member {
	char id[ID_CHARS_MOST + 1];
	char name[16];
	char *of;                    /* the path of the binary, without a slash before it; NULL: not known */
	const char *archive;         /* its path */
	uint8_t *bytes;
	size_t size;
};

struct archives {
	pthread_mutex_t lock;
	VEC(char *) paths;
	bool given, read;
	VEC(struct member) members;
	size_t bytes;                /* of all members */
	struct buf failure;
};

struct archives *archives_new(const char *given)
{
	struct archives *a = calloc(1, sizeof(*a));
	char *copy = given ? strdup(given) : NULL;

	if (!a || (given && (!copy || vec_push(&a->paths, copy) < 0))) {
		free(copy);
		free(a);
		return NULL;
	}
	a->given = given;
	a->failure = BUF_MEMORY;
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

/* A path as a pattern that matches only itself. */
static bool quote(struct buf *out, const char *path, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%c", strchr("*?[]\\{}~", path[i]) ? "\\" : "", path[i]);
	return !out->failed;
}

/* Adds the files of a pattern in the order of their names. */
static int add_matches(struct archives *a, const char *recording, size_t n, const char *rest)
{
	struct buf pattern = BUF_MEMORY;
	glob_t found = { 0 };
	int r = 0;

	if (!quote(&pattern, recording, n))
		r = -SONDE_NOMEM;
	buf_printf(&pattern, "%s%c", rest, 0);
	if (r == 0 && !pattern.failed && glob(pattern.p, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && r == 0; i++) {
			char *path = strdup(found.gl_pathv[i]);

			r = path ? vec_push(&a->paths, path) : -SONDE_NOMEM;
			if (r < 0)
				free(path);
		}
	globfree(&found);
	buf_free(&pattern);
	return r;
}

int archives_beside(struct archives *a, const char *recording)
{
	const char *slash = strrchr(recording, '/');
	int r;

	if (a->given || a->paths.n || !recording[0])
		return 0;
	r = add_matches(a, recording, strlen(recording), ".tar.*");
	if (r == 0)
		r = add_matches(a, recording, slash ? (size_t)(slash + 1 - recording) : 0, "perf.all-*.tar.*");
	return r;
}

static void say_failure(struct archives *a, const char *path, const char *text)
{
	if (a->failure.n)
		buf_str(&a->failure, "; ");
	buf_text(&a->failure, path, strlen(path));
	buf_printf(&a->failure, ": %s%c", text ? text : "cannot be read", 0);
	a->failure.n -= a->failure.n > 0;
}

static size_t hex_length(const char *p)
{
	return strspn(p, "0123456789abcdef");
}

/*
 * "PATH/ID/elf", or ".build-id/XX/REST/elf" of an archive without links: the id and the name of the member. False for
 * other files.
 */
static bool split(const char *path, struct member *m)
{
	static const char *const names[] = { "elf", "debug", "vdso", "kallsyms" };
	const char *slash = strrchr(path, '/'), *id = slash;
	size_t n;

	for (size_t i = 0; slash && i < ARRAY_SIZE(names); i++)
		if (!strcmp(slash + 1, names[i]))
			strcpy(m->name, names[i]);
	if (!m->name[0])
		return false;
	while (id > path && id[-1] != '/')
		id--;
	n = hex_length(id);
	if (id + n != slash || n > ID_CHARS_MOST || n < 4)
		return false;
	memcpy(m->id, id, n);
	m->of = strncmp(path, ".build-id/", 10) ? strndup(path, (size_t)(id - path) - (id > path)) : NULL;
	/* "XX/" before it */
	if (id - path >= 13 && !strncmp(id - 13, ".build-id/", 10) && hex_length(id - 3) == 2 &&
	    n + 2 <= ID_CHARS_MOST) {
		memcpy(m->id, id - 3, 2);
		memcpy(m->id + 2, id, n);
	}
	return true;
}

/* The bytes of the entry at hand; false for one that is too large or damaged. */
static bool read_entry(struct archives *a, void *from, uint8_t **bytes, size_t *size)
{
	VEC(uint8_t) all = { 0 };
	ssize_t n;

	do {
		if (all.n + BLOCK > BYTES_MOST - a->bytes || vec_reserve(&all, BLOCK) < 0) {
			vec_free(&all);
			return false;
		}
		n = libarchive.read_data(from, all.at + all.n, BLOCK);
		all.n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	if (n < 0 || !all.n) {
		vec_free(&all);
		return false;
	}
	*bytes = all.at;
	*size = all.n;
	return true;
}

static void add_member(struct archives *a, void *from, const char *archive, struct member *m)
{
	if (!read_entry(a, from, &m->bytes, &m->size))
		return;
	m->archive = archive;
	if (vec_push(&a->members, *m) < 0) {
		free(m->bytes);
		free(m->of);
		m->of = NULL;
		return;
	}
	m->of = NULL;  /* the member's now */
	a->bytes += m->size;
}

static void read_memory(struct archives *a, const char *path, const void *p, size_t n);

/* `perf archive --all` puts the recording and an archive into another archive. */
static void read_inner(struct archives *a, void *from, const char *path)
{
	uint8_t *bytes;
	size_t size;

	if (read_entry(a, from, &bytes, &size)) {
		read_memory(a, path, bytes, size);
		free(bytes);
	}
}

static void read_entries(struct archives *a, void *from, const char *path, bool outer)
{
	void *entry;
	int r;

	while ((r = libarchive.next_header(from, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *name = libarchive.pathname(entry);
		struct member m = { 0 };

		if (name && split(name, &m))
			add_member(a, from, path, &m);
		else if (name && outer && strstr(name, ".tar."))
			read_inner(a, from, path);
		free(m.of);
	}
	if (r != ARCHIVE_EOF)
		say_failure(a, path, libarchive.error_string(from));
}

/* NULL when out of memory. A library that runs programs for one of the filters is not used. */
static void *new_reader(void)
{
	void *from = libarchive.read_new();
	bool good = from && libarchive.format_tar(from) == ARCHIVE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(libarchive.filters) && good; i++)
		good = libarchive.filters[i](from) == ARCHIVE_OK;
	if (!good && from)
		libarchive.read_free(from);
	return good ? from : NULL;
}

static void read_memory(struct archives *a, const char *path, const void *p, size_t n)
{
	void *from = new_reader();

	if (!from)
		return;
	if (libarchive.open_memory(from, p, n) == ARCHIVE_OK)
		read_entries(a, from, path, false);
	libarchive.read_free(from);
}

static void read_file(struct archives *a, const char *path)
{
	struct sonde_error err = { 0 };
	int fd = plain_file_open(path, 0, NULL, &err);
	void *from;

	if (fd < 0) {
		say_failure(a, path, err.text);
		return;
	}
	from = new_reader();
	if (!from)
		say_failure(a, path, "libarchive cannot read it here");
	else if (libarchive.open_fd(from, fd, BLOCK) != ARCHIVE_OK)
		say_failure(a, path, libarchive.error_string(from));
	else
		read_entries(a, from, path, true);
	if (from)
		libarchive.read_free(from);
	close(fd);
}

static void read_all(struct archives *a)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	a->read = true;
	if (a->paths.n)
		pthread_once(&once, load_libarchive);
	for (size_t i = 0; i < a->paths.n; i++) {
		if (libarchive.loaded)
			read_file(a, a->paths.at[i]);
		else
			say_failure(a, a->paths.at[i], "there is no libarchive");
	}
}

/* Recorded ids may be padded with zeros, here and there. */
static bool is_id(const char *have, const char *want)
{
	size_t n = strlen(have), m = strlen(want), common = n < m ? n : m;

	return common && !memcmp(have, want, common) && strspn(have + common, "0") == n - common &&
	       strspn(want + common, "0") == m - common;
}

bool archives_take(struct archives *a, const uint8_t *id, size_t id_size, const char *member, char path[PATH_MAX],
		   void **bytes, size_t *size)
{
	char hex[BUILD_ID_TEXT];
	const struct member *found = NULL;

	if (!a || !id_size || id_size > ID_CHARS_MOST / 2)
		return false;
	build_id_print(hex, id, id_size);
	pthread_mutex_lock(&a->lock);
	if (!a->read)
		read_all(a);
	for (size_t i = 0; i < a->members.n && !found; i++)
		if (!strcmp(a->members.at[i].name, member) && is_id(a->members.at[i].id, hex))
			found = &a->members.at[i];
	*bytes = found ? malloc(found->size) : NULL;
	if (*bytes) {
		memcpy(*bytes, found->bytes, found->size);
		*size = found->size;
		snprintf(path, PATH_MAX, "%s: %s/%s", found->archive, found->id, found->name);
	}
	pthread_mutex_unlock(&a->lock);
	return *bytes;
}

bool archives_have_other_build(struct archives *a, const char *path, const uint8_t *id, size_t id_size, struct buf *out)
{
	const struct member *found = NULL;
	char hex[BUILD_ID_TEXT];

	if (!a || !id_size || id_size > ID_CHARS_MOST / 2)
		return false;
	build_id_print(hex, id, id_size);
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; a->read && i < a->members.n && !found; i++) {
		const struct member *m = &a->members.at[i];

		if (m->of && !strcmp(m->of, path + (path[0] == '/')) && !is_id(m->id, hex))
			found = m;
	}
	if (found)
		buf_printf(out, "%s has build %s of it, and build %s was recorded", found->archive, found->id, hex);
	pthread_mutex_unlock(&a->lock);
	return found;
}

const char *archives_failure(struct archives *a)
{
	const char *text;

	pthread_mutex_lock(&a->lock);  /* nothing is added to it after the archives have been read */
	text = a->read && a->failure.n && !a->failure.failed ? a->failure.p : "";
	pthread_mutex_unlock(&a->lock);
	return text;
}

void archives_free(struct archives *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->members.n; i++) {
		free(a->members.at[i].bytes);
		free(a->members.at[i].of);
	}
	for (size_t i = 0; i < a->paths.n; i++)
		free(a->paths.at[i]);
	vec_free(&a->members);
	vec_free(&a->paths);
	buf_free(&a->failure);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
