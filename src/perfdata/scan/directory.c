/* SPDX-License-Identifier: MIT */
/*
 * directory.c - a recording whose records lie in several files
 *
 * perf record --threads makes a directory: `data` is a whole perf.data, and data.0, data.1 ... are the records of one
 * thread of the recorder each, without a header. With --kcore there is a directory too, but only `data` in it is of
 * interest here.
 */
#include "perfdata/scan/directory.h"

#include "perfdata/format/feature.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PARTS 65536

/* The N of data.N; false for every other name. */
static bool part_number(const char *name, uint32_t *out)
{
	char again[PART_NAME_BYTES];
	unsigned n;

	if (sscanf(name, "data.%5u", &n) != 1 || n >= MAX_PARTS)
		return false;
	snprintf(again, sizeof(again), "data.%u", n);
	*out = n;
	return strcmp(again, name) == 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static DIR *open_list(int dir_fd, struct sonde_error *err)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  /* closedir() closes its own */
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		err_sys(err, errno, "cannot list the directory");
		if (fd >= 0)
			close(fd);
	}
	return d;
}

bool directory_may_have_parts(const struct meta *meta)
{
	return !feature_has(meta, SONDE_FEAT_DIR_FORMAT) || meta->dir_version == DIR_FORMAT_PARTS;
}

uint64_t directory_missing_parts(const struct meta *meta, const struct part_numbers *have)
{
	if (have->n == 0)
		return feature_has(meta, SONDE_FEAT_DIR_FORMAT) && meta->dir_version == DIR_FORMAT_PARTS;
	return have->at[have->n - 1] + 1 - have->n;
}

int directory_list_parts(int dir_fd, struct part_numbers *out, struct sonde_error *err)
{
	DIR *d = open_list(dir_fd, err);
	struct dirent *entry;
	uint32_t n;
	int r = 0;

	if (!d)
		return -SONDE_SYSTEM;
	while (r == 0 && (entry = readdir(d)))
		if (part_number(entry->d_name, &n) && vec_push(out, n) < 0)
			r = err_nomem(err);
	closedir(d);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_number);
	return r;
}

static int add_name(int dir_fd, struct directory_names *out, const char *name)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	out->nr_directories += S_ISDIR(st.st_mode);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (vec_reserve(out, 1) < 0)
		return -SONDE_NOMEM;
	out->at[out->n] = strdup(name);
	return out->at[out->n] ? (out->n++, 0) : -SONDE_NOMEM;
}

int directory_list(int dir_fd, struct directory_names *out, struct sonde_error *err)
{
	DIR *d = open_list(dir_fd, err);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return -SONDE_SYSTEM;
	while (r == 0 && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "data") != 0)
			r = add_name(dir_fd, out, entry->d_name);
	closedir(d);
	return r < 0 ? err_nomem(err) : 0;
}

void directory_names_free(struct directory_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	vec_free(names);
}
