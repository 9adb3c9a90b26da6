/* SPDX-License-Identifier: MIT */
#include "symbol/table/cache_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "base/vec.h"

/* All files together. */
#define BYTES_MAX ((uint64_t)2 << 30)

#define TEMPORARY ".new-"

/* A file that was used within a day need not be marked again; no writer takes an hour. */
enum { DAY_S = 86400, HOUR_S = 3600 };

static bool path_of(char path[PATH_MAX], const char *dir, const char *name)
{
	return dir[0] && name[0] && snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

int cache_file_open(const char *dir, const char *name)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (!path_of(path, dir, name))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return -1;
	}
	if (time(NULL) - st.st_mtim.tv_sec > DAY_S)
		futimens(fd, now);
	return fd;
}

bool cache_file_read(struct fmap *m, const char *dir, const char *name)
{
	int fd = cache_file_open(dir, name);
	bool taken = fd >= 0 && fmap_fd(m, fd, NULL) == 0;

	if (fd >= 0)
		close(fd);
	return taken;
}

/* As mkdir -p, for the user alone. */
static void make_dirs(const char *dir)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return;
	for (char *p = path + 1; *p; p++) {
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0700);
			*p = '/';
		}
	}
	mkdir(path, 0700);
}

/* For the user alone; path: where it lies. */
static int open_temporary(char path[PATH_MAX], const char *dir)
{
	int fd;

	if (!path_of(path, dir, TEMPORARY "XXXXXX"))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	make_dirs(dir);
	path_of(path, dir, TEMPORARY "XXXXXX");
	return mkostemp(path, O_CLOEXEC);
}

void cache_file_write(const char *dir, const char *name, const struct cache_part *parts, size_t nr_parts, uint64_t max)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	uint64_t size = 0;
	bool good = true;
	int fd;

	for (size_t i = 0; i < nr_parts; i++)
		size += parts[i].size;
	if (size > max || size > BYTES_MAX || !path_of(path, dir, name))
		return;
	fd = open_temporary(temporary, dir);
	if (fd < 0)
		return;
	for (size_t i = 0; i < nr_parts && good; i++)
		good = fd_write(fd, parts[i].p, parts[i].size) == 0;
	if (!good || rename(temporary, path) < 0)
		unlink(temporary);
	close(fd);
	cache_file_tidy(dir, BYTES_MAX);
}

void cache_file_remove(const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (path_of(path, dir, name))
		unlink(path);
}

struct kept { struct timespec used; uint64_t size; char name[NAME_MAX + 1]; };

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

void cache_file_tidy(const char *dir, uint64_t max)
{
	VEC(struct kept) files = { 0 };
	DIR *d = opendir(dir);
	struct dirent *e;
	uint64_t sum = 0;
	struct kept k;
	struct stat st;

	while (d && (e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (!strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY))) {
			if (time(NULL) - st.st_mtim.tv_sec > HOUR_S)
				unlinkat(dirfd(d), e->d_name, 0);
			continue;
		}
		k.used = st.st_mtim;
		k.size = (uint64_t)st.st_size;
		snprintf(k.name, sizeof(k.name), "%s", e->d_name);
		sum += k.size;
		if (vec_push(&files, k) < 0)
			break;
	}
	if (sum > max)
		qsort(files.at, files.n, sizeof(*files.at), by_use);
	for (size_t i = 0; i < files.n && sum > max; i++) {
		unlinkat(dirfd(d), files.at[i].name, 0);
		sum -= files.at[i].size;
	}
	vec_free(&files);
	if (d)
		closedir(d);
}
