/* SPDX-License-Identifier: MIT */
/*
 * directory.c - a recording whose records lie in several files
 *
 * perf record --threads makes a directory: `data` is a whole perf.data, and data.0, data.1 ... are the records of one thread
 * of the recorder each, without a header. With --kcore there is a directory too, but only `data` in it is of interest here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/directory.h"
#include "perfdata/perfdata.h"

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
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, "data") != 0)
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

static int add_part(struct perfdata *f, const char *name, int fd, uint64_t begin, uint64_t end, struct sonde_error *err)
{
	struct part p = { arena_strndup(&f->base.arena, name, strlen(name)), fd, begin, end };

	if (!p.name || vec_reserve(&f->part_names, 1) < 0 || vec_push(&f->parts, p) < 0)
		return err_nomem(err);
	f->part_names.at[f->part_names.n++] = p.name;
	return 0;
}

static int open_part(struct perfdata *f, uint32_t number, struct sonde_error *err)
{
	char name[PART_NAME_BYTES];
	struct stat st;
	int fd, r;

	snprintf(name, sizeof(name), "data.%u", number);
	fd = openat(f->input.dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_sys(err, errno, "cannot open its file %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	r = add_part(f, name, fd, 0, (uint64_t)st.st_size, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	f->base.nr_bytes += (uint64_t)st.st_size;
	f->base.info.size_bytes += (uint64_t)st.st_size;
	return 0;
}

static void note_missing(struct perfdata *f, const struct part_numbers *have)
{
	uint64_t missing = directory_missing_parts(have);

	if (missing)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, missing, SONDE_NONE, SONDE_NONE, -1,
			   "files data.N are missing from the directory");
}

int perfdata_open_directory(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;
	struct part_numbers numbers = { 0 };
	bool expected = f->base.meta.dir_version == DIR_FORMAT_PARTS;
	int r = add_part(f, "data", f->input.fd, info->data_offset, info->data_offset + info->data_size, err);

	if (r == 0 && (expected || f->unfinished))  /* what was never finished has no features to tell */
		r = directory_list_parts(f->input.dir_fd, &numbers, err);
	for (size_t i = 0; r == 0 && i < numbers.n; i++)
		r = open_part(f, numbers.at[i], err);
	if (r == 0 && expected)
		note_missing(f, &numbers);
	vec_free(&numbers);
	info->mode = SONDE_MODE_DIRECTORY;
	info->files = f->part_names.at;
	info->nr_files = f->part_names.n;
	f->base.nr_parts = (uint32_t)f->parts.n;
	return r;
}

void perfdata_close_directory(struct perfdata *f)
{
	for (size_t i = 1; i < f->parts.n; i++)
		close(f->parts.at[i].fd);
	vec_free(&f->parts);
	vec_free(&f->part_names);
}
