/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/source_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/path.h"
#include "base/plain_file.h"
#include "symbol/bundles.h"
#include "symbol/embedded_source.h"
#include "symbol/find_file.h"
#include "symbol/symbols.h"

enum { FILE_MOST = 64 << 20 };

/* The path without its first @n directories; its last part if it has fewer. */
static const char *without_dirs(const char *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *slash = strchr(path + (*path == '/'), '/');

		if (!slash)
			break;
		path = slash;
	}
	return path;
}

/* A file that is looked for. */
struct source_search {
	const struct source_texts *texts;
	const char *const *dirs;             /* that the user has named */
	size_t nr_dirs;
	struct stat st;
	const char *refused;                 /* why one that is there may not be embedded; or NULL */
};

static int open_file(struct source_search *s, const char *path)
{
	const char *why;
	int fd;

	if (!s->texts->opts->embedded)
		return plain_file_open(path, 0, &s->st, NULL);
	fd = embedded_source_open(path, s->dirs, s->nr_dirs, s->texts->lines, s->texts->binary, &s->st, &why);
	if (fd < 0 && why)
		s->refused = why;
	return fd;
}

static int open_below(struct source_search *s, const char *dir, const char *path)
{
	char full[PATH_MAX];

	return path_print(full, "%s%s%s", dir, *path == '/' || !*dir ? "" : "/", path) ?
		open_file(s, full) : -SONDE_MISSING;
}

/* Below a directory: at the whole path, then without one after the other of its first directories. */
static int open_in_dir(struct source_search *s, const char *dir, const char *path)
{
	int fd = open_below(s, dir, path);

	for (const char *rest = path; fd < 0;) {
		const char *slash = strchr(rest + (*rest == '/'), '/');

		if (!slash)
			return *rest == '/' ? open_below(s, dir, rest + 1) : -SONDE_MISSING;
		rest = slash;
		fd = open_below(s, dir, rest);
	}
	return fd;
}

static int open_in_named(struct source_search *s, const char *path)
{
	const struct sonde_annotate_opts *o = s->texts->opts;
	int fd = -SONDE_MISSING;

	if (o->source_prefix || o->source_prefix_strip) {
		s->dirs = &o->source_prefix;
		s->nr_dirs = o->source_prefix != NULL;
		fd = open_below(s, o->source_prefix ? o->source_prefix : "",
				without_dirs(path, o->source_prefix_strip));
	}
	s->dirs = o->source_dirs;
	s->nr_dirs = o->nr_source_dirs;
	for (size_t i = 0; i < o->nr_source_dirs && fd < 0; i++) {
		char *dir = realpath(o->source_dirs[i], NULL);

		fd = dir ? open_in_dir(s, dir, path) : -SONDE_MISSING;
		free(dir);
	}
	return fd;
}

static int open_text(struct source_search *s, const char *path)
{
	int fd = open_in_named(s, path);

	return fd < 0 && *path == '/' ? open_file(s, path) : fd;
}

static int read_bytes(struct source_text *t, int fd, size_t size)
{
	int sys_errno;

	if (vec_reserve(&t->bytes, size + 1) < 0)
		return -SONDE_NOMEM;
	t->bytes.n = fd_read_at(fd, t->bytes.at, size, 0, &sys_errno);
	return 0;
}

static int find_lines(struct source_text *t)
{
	const char *text = t->bytes.at, *end = text + t->bytes.n;

	for (const char *p = text, *next; p && p < end; p = next ? next + 1 : NULL) {
		if (vec_push(&t->starts, (uint32_t)(p - text)) < 0)
			return -SONDE_NOMEM;
		next = memchr(p, '\n', (size_t)(end - p));
	}
	return 0;
}

/* Text from the bundle, unless the user says where better sources are. */
static bool take_bundled(struct source_text *t, const struct source_texts *s)
{
	const struct sonde_annotate_opts *o = s->opts;
	uint8_t *bytes;
	size_t size;

	if (o->source_prefix || o->source_prefix_strip || o->nr_source_dirs ||
	    !bundles_take_source(symbols_paths(s->symbols)->bundles, t->path, &bytes, &size))
		return false;
	t->bytes.at = (char *)bytes;
	t->bytes.n = t->bytes.cap = size;
	return true;
}

static int read_text(struct source_text *t, const struct source_texts *s)
{
	struct source_search search = { .texts = s };
	int fd, r = 0;

	if (take_bundled(t, s))
		return find_lines(t);
	fd = open_text(&search, t->path);
	if (fd < 0) {
		t->refused = search.refused;
		return 0;
	}
	if (search.st.st_size <= FILE_MOST)
		r = read_bytes(t, fd, (size_t)search.st.st_size);
	if (r == 0 && s->opts->embedded && !embedded_source_is_text(t->bytes.at, t->bytes.n)) {
		t->refused = "it is no text";
		t->bytes.n = 0;
	}
	if (r == 0)
		r = find_lines(t);
	t->changed_s = search.st.st_mtime;
	close(fd);
	return r;
}

struct source_text *source_texts_get(struct source_texts *s, const char *path)
{
	uint32_t i = strpool_add(&s->paths, path, strlen(path));
	struct source_text *t;

	if (i == UINT32_MAX)
		return NULL;
	while (s->list.n <= i)
		if (vec_push(&s->list, NULL) < 0)
			return NULL;
	if (s->list.at[i])
		return s->list.at[i];
	t = s->list.at[i] = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->path = strpool_get(&s->paths, i);
	return read_text(t, s) < 0 ? NULL : t;
}

bool source_text_line(const struct source_text *t, uint32_t line, struct sonde_str *out)
{
	const char *text = t->bytes.at;
	uint32_t start, end;

	if (!line || line > t->starts.n)
		return false;
	start = t->starts.at[line - 1];
	end = line < t->starts.n ? t->starts.at[line] - 1 : (uint32_t)t->bytes.n;
	if (end > start && text[end - 1] == '\n')
		end--;
	if (end > start && text[end - 1] == '\r')
		end--;
	*out = (struct sonde_str){ text + start, end - start };
	return true;
}

void source_texts_free(struct source_texts *s)
{
	for (size_t i = 0; i < s->list.n; i++) {
		if (!s->list.at[i])
			continue;
		vec_free(&s->list.at[i]->bytes);
		vec_free(&s->list.at[i]->starts);
		free(s->list.at[i]);
	}
	vec_free(&s->list);
	strpool_free(&s->paths);
}
