/* SPDX-License-Identifier: MIT */
#include "fleet/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

int file_list_add(struct file_list *l, const char *name)
{
	char *copy = arena_strndup(&l->text, name, strlen(name));

	return copy ? vec_push(&l->names, copy) : -SONDE_NOMEM;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void file_list_sort(struct file_list *l)
{
	if (l->names.n)
		qsort(l->names.at, l->names.n, sizeof(*l->names.at), by_name);
}

bool file_list_has(const struct file_list *l, const char *name)
{
	return l->names.n && bsearch(&name, l->names.at, l->names.n, sizeof(*l->names.at), by_name);
}

void file_list_free(struct file_list *l)
{
	arena_free(&l->text);
	vec_free(&l->names);
	vec_free(&l->links);
}

static bool is_wanted(const char *name, const char *begin, const char *end)
{
	size_t n = strlen(name), first = strlen(begin), last = strlen(end);

	return name[0] != '.' && name[0] != '_' && n >= first + last && strncmp(name, begin, first) == 0 &&
	       strcmp(name + n - last, end) == 0;
}

static int add_link(struct file_list *l, const char *dir, struct sonde_error *err)
{
	char *copy = arena_strndup(&l->text, dir, strlen(dir));

	return copy && vec_push(&l->links, copy) == 0 ? 0 : err_nomem(err);
}

static int unreadable(const char *dir, struct sonde_error *err)
{
	return err_sys(err, errno, "cannot read the directory v1/%s", dir);
}

/* The names of a directory, each behind @prefix. */
static int add_entries(struct file_list *l, int v1, const char *dir, const char *prefix, const char *begin,
		       const char *end, struct sonde_error *err)
{
	int fd = path_open_below(v1, dir, O_RDONLY | O_DIRECTORY);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	char name[PATH_MAX];
	struct dirent *entry;
	int r = 0;

	if (!d) {
		if (fd < 0 && errno == ELOOP)
			return add_link(l, dir, err);
		r = fd < 0 && (errno == ENOENT || errno == ENOTDIR) ? 0 : unreadable(dir, err);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		if (!is_wanted(entry->d_name, begin, end) || strchr(entry->d_name, '\n'))
			continue;
		if (!path_print(name, "%s%s", prefix, entry->d_name) || file_list_add(l, name) < 0)
			r = err_nomem(err);
	}
	if (r == 0 && errno)
		r = unreadable(dir, err);
	closedir(d);
	return r;
}

int file_list_entries(struct file_list *l, int v1, const char *dir, const char *begin, const char *end,
		      struct sonde_error *err)
{
	int r = add_entries(l, v1, dir, "", begin, end, err);

	file_list_sort(l);
	return r;
}

int file_list_partitions(struct file_list *l, int v1, const char *dir, const char *key, struct sonde_error *err)
{
	struct file_list folders = { 0 };
	char begin[64], path[PATH_MAX], prefix[PATH_MAX];
	int r;

	snprintf(begin, sizeof(begin), "%s=", key);
	r = file_list_entries(&folders, v1, dir, begin, "", err);
	if (r == 0 && folders.links.n)
		r = add_link(l, dir, err);
	for (size_t i = 0; i < folders.names.n && r == 0; i++) {
		if (!path_print(path, "%s/%s", dir, folders.names.at[i]) ||
		    !path_print(prefix, "%s/", folders.names.at[i]))
			r = err_set(err, SONDE_USAGE, SONDE_NONE, "a path in v1/%s is too long", dir);
		else
			r = add_entries(l, v1, path, prefix, "", ".parquet", err);
	}
	file_list_free(&folders);
	file_list_sort(l);
	return r;
}

int file_list_read(struct file_list *l, int v1, const char *path, struct sonde_error *err)
{
	int fd = path_open_below(v1, path, O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int r = 0;

	if (!f) {
		r = fd < 0 && errno == ENOENT ? 0 : err_sys(err, errno, "cannot open v1/%s", path);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r == 0 && (n = getline(&line, &cap, f)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (file_list_add(l, line) < 0)
			r = err_nomem(err);
	}
	if (r == 0 && ferror(f))
		r = err_sys(err, errno, "cannot read v1/%s", path);
	free(line);
	fclose(f);
	file_list_sort(l);
	return r;
}
