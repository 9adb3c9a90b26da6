/* SPDX-License-Identifier: MIT */
#include "symbol/table/cache_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fd_io.h"
#include "base/path.h"
#include "base/vec.h"

/* All files together. */
#define BYTES_MAX ((uint64_t)2 << 30)

#define TEMPORARY ".new-"
enum { TEMPORARY_DIGITS = 16, TEMPORARY_SIZE = sizeof(TEMPORARY) + TEMPORARY_DIGITS };

/* A file that was used within a day need not be marked again; no writer takes an hour. */
enum { DAY_S = 86400, HOUR_S = 3600 };

/* The number of hexadecimal digits at the beginning. */
static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789abcdef");
}

static bool is_own_name(const char *name)
{
	static const char *const ends[] = { "", "-functions", ".lines", ".lines.asked" };
	bool is_hash = !strncmp(name, "file-", 5), is_module = !strncmp(name, "module-", 7);
	const char *id = name + (is_hash ? 5 : is_module ? 7 : 0);
	size_t n = count_digits(id);

	if (n < 16 || n > (is_hash ? 16 : NAME_MAX))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(id + n, ends[i]))
			return true;
	return false;
}

static bool is_temporary(const char *name)
{
	return !strncmp(name, TEMPORARY, strlen(TEMPORARY)) && strlen(name) == strlen(TEMPORARY) + TEMPORARY_DIGITS &&
	       count_digits(name + strlen(TEMPORARY)) == TEMPORARY_DIGITS;
}

/* Nobody else could have written it. */
static bool is_of_user(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

/* -1: there is none, or it is not the user's own. */
static int open_dir(const char *dir)
{
	int fd = dir[0] ? open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !is_of_user(&st))) {
		close(fd);
		errno = EACCES;
		return -1;
	}
	return fd;
}

static int open_file(int dir, const char *name)
{
	const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
	struct stat st;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_of_user(&st)) {
		close(fd);
		return -1;
	}
	if (time(NULL) - st.st_mtim.tv_sec > DAY_S)
		futimens(fd, now);
	return fd;
}

int cache_file_open(const char *dir, const char *name)
{
	int at = is_own_name(name) ? open_dir(dir) : -1, fd;

	if (at < 0)
		return -1;
	fd = open_file(at, name);
	close(at);
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

struct kept_file { struct timespec used; uint64_t size; char name[NAME_MAX + 1]; };

static int by_use(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static DIR *read_dir(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

static void tidy(int dir, uint64_t max)
{
	VEC(struct kept_file) files = { 0 };
	DIR *d = read_dir(dir);
	struct dirent *e;
	uint64_t sum = 0;
	struct kept_file k;
	struct stat st;

	while (d && (e = readdir(d))) {
		bool own = is_own_name(e->d_name);

		if (!own && !is_temporary(e->d_name))
			continue;
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) || !is_of_user(&st))
			continue;
		if (!own) {
			if (time(NULL) - st.st_mtim.tv_sec > HOUR_S)
				unlinkat(dir, e->d_name, 0);
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
		unlinkat(dir, files.at[i].name, 0);
		sum -= files.at[i].size;
	}
	vec_free(&files);
	if (d)
		closedir(d);
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

static int open_or_make_dir(const char *dir)
{
	int fd = open_dir(dir);

	if (fd >= 0 || errno != ENOENT || !dir[0] || !path_is_own(dir))
		return fd;
	make_dirs(dir);
	return open_dir(dir);
}

/* For the user alone. -1: none. */
static int open_temporary(int dir, char name[TEMPORARY_SIZE])
{
	int fd = -1;

	for (int trials = 0; trials < 8 && fd < 0; trials++) {
		uint64_t number;

		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
			return -1;
		snprintf(name, TEMPORARY_SIZE, TEMPORARY "%0*" PRIx64, TEMPORARY_DIGITS, number);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

void cache_file_write(const char *dir, const char *name, const struct cache_part *parts, size_t nr_parts, uint64_t max)
{
	char temporary[TEMPORARY_SIZE];
	uint64_t size = 0;
	bool good = true;
	int at, fd;

	for (size_t i = 0; i < nr_parts; i++)
		size += parts[i].size;
	if (size > max || size > BYTES_MAX || !is_own_name(name))
		return;
	at = open_or_make_dir(dir);
	fd = at < 0 ? -1 : open_temporary(at, temporary);
	if (fd < 0)
		goto close_dir;
	for (size_t i = 0; i < nr_parts && good; i++)
		good = fd_write(fd, parts[i].p, parts[i].size) == 0;
	if (!good || renameat(at, temporary, at, name) < 0)
		unlinkat(at, temporary, 0);
	close(fd);
	tidy(at, BYTES_MAX);
close_dir:
	if (at >= 0)
		close(at);
}

void cache_file_remove(const char *dir, const char *name)
{
	int at = is_own_name(name) ? open_dir(dir) : -1;

	if (at < 0)
		return;
	unlinkat(at, name, 0);
	close(at);
}

void cache_file_tidy(const char *dir, uint64_t max)
{
	int at = open_dir(dir);

	if (at < 0)
		return;
	tidy(at, max);
	close(at);
}
