/* SPDX-License-Identifier: MIT */
#include "record/host/binary_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/plain_file.h"
#include "base/thread.h"
#include "base/vec.h"

#define ID_TEXT (2 * BUILD_ID_MAX + 1)

struct copy {
	int fd;
	char *name;                  /* as recorded */
	uint8_t id[BUILD_ID_MAX], id_size;
};

struct binary_cache {
	char *dir;
	pthread_t thread;
	pthread_mutex_t lock;        /* of what follows */
	pthread_cond_t changed;
	VEC(struct copy) copies;     /* those before `next` are done */
	size_t next, failed;
	struct sonde_error err;      /* of the first that failed */
	bool ending, started;
};

static void print_id(char text[ID_TEXT], const struct copy *c)
{
	text[0] = 0;
	for (uint8_t i = 0; i < c->id_size; i++)
		snprintf(text + 2 * i, 3, "%02x", c->id[i]);
}

/* The directories above the last slash. */
static int make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		int r;

		*p = 0;
		r = mkdir(path, 0755);
		*p = '/';
		if (r < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int copy_bytes(int from, int to)
{
	char piece[65536];
	off_t at = 0;
	ssize_t n, written;

	/* shares the blocks where the file system can do that */
	while ((n = copy_file_range(from, &at, to, NULL, (size_t)1 << 30, 0)) > 0)
		;
	if (n == 0 && at > 0)
		return 0;
	while ((n = pread(from, piece, sizeof(piece), at)) > 0) {
		written = write(to, piece, (size_t)n);
		if (written <= 0)
			return -1;
		at += written;
	}
	return n < 0 ? -1 : 0;
}

/* Whether the bytes have been copied, and have the id. */
static int fill(const struct copy *c, int fd, const char *path)
{
	uint8_t id[BUILD_ID_MAX];

	if (copy_bytes(c->fd, fd) < 0 || fchmod(fd, 0755) < 0)
		return -1;
	if (build_id_of_file(path, id) == c->id_size && memcmp(id, c->id, c->id_size) == 0)
		return 0;
	errno = ESTALE;
	return -1;
}

/*
 * A file without a name, which a recorder that is killed does not leave behind. 1: the filesystem has none, or without
 * /proc it could not be given its name.
 */
static int copy_unseen(const struct copy *c, const char *path)
{
	char dir[PATH_MAX], link[32];
	int fd, r;

	if (!path_print(dir, "%.*s", path_dir_length(path), path))
		return 1;
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);
	if (fd < 0)
		return 1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (access(link, F_OK) < 0) {
		close(fd);
		return 1;
	}
	r = fill(c, fd, link);
	if (r == 0 && linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		r = -1;
	close(fd);
	return r;
}

/* The copy gets its name when it is whole and has the id. */
static int copy_file(const struct copy *c, const char *path)
{
	char temporary[PATH_MAX];
	int fd, r = copy_unseen(c, path);

	if (r <= 0)
		return r;
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -1;
	r = fill(c, fd, temporary);
	if (close(fd) < 0)
		r = -1;
	if (r == 0)
		r = rename(temporary, path);
	if (r < 0)
		unlink(temporary);
	return r;
}

static int add_link(const char *dir, const struct copy *c, const char *id)
{
	char link[PATH_MAX], target[PATH_MAX];

	if (snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", dir, id, id + 2) >= (int)sizeof(link) ||
	    snprintf(target, sizeof(target), "../..%s/%s", c->name, id) >= (int)sizeof(target)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (make_parents(link) < 0)
		return -1;
	return symlink(target, link) < 0 && errno != EEXIST ? -1 : 0;
}

static int make_copy(const char *dir, const struct copy *c)
{
	char path[PATH_MAX], id[ID_TEXT];

	print_id(id, c);
	if (snprintf(path, sizeof(path), "%s%s/%s/elf", dir, c->name, id) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (access(path, F_OK) < 0 && (make_parents(path) < 0 || copy_file(c, path) < 0))
		return -1;
	return add_link(dir, c, id);
}

static void note_failure(struct binary_cache *b, const char *name, int number)
{
	if (!b->failed++)
		err_sys(&b->err, number, "cannot copy %s to %s", name, b->dir);
}

static void *run(void *arg)
{
	struct binary_cache *b = arg;

	pthread_mutex_lock(&b->lock);
	while (!b->ending || b->next < b->copies.n) {
		struct copy c;
		int r, number;

		if (b->next == b->copies.n) {
			pthread_cond_wait(&b->changed, &b->lock);
			continue;
		}
		c = b->copies.at[b->next++];
		pthread_mutex_unlock(&b->lock);
		r = make_copy(b->dir, &c);
		number = errno;
		close(c.fd);
		pthread_mutex_lock(&b->lock);
		if (r < 0)
			note_failure(b, c.name, number);
		free(c.name);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

struct binary_cache *binary_cache_new(const char *dir, struct sonde_error *err)
{
	struct binary_cache *b = calloc(1, sizeof(*b));
	const char *home = getenv("HOME");

	if (!b) {
		err_nomem(err);
		return NULL;
	}
	if (dir[0])
		b->dir = strdup(dir);
	else if (!home || home[0] != '/' || asprintf(&b->dir, "%s/.debug", home) < 0)
		b->dir = NULL;
	if (!b->dir) {
		free(b);
		err_set(err, SONDE_USAGE, SONDE_NONE, "there is no home directory for copies of binaries");
		return NULL;
	}
	if (!dir[0] && (!path_is_own(home) || !path_is_own(b->dir))) {
		err_set(err, SONDE_DENIED, SONDE_NONE,
			"copies of binaries: %.200s belongs to another user (--buildid-cache=DIR names a directory)",
			path_is_own(home) ? b->dir : home);
		free(b->dir);
		free(b);
		return NULL;
	}
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	b->started = thread_begin(&b->thread, run, b) == 0;
	if (!b->started) {
		binary_cache_free(b);
		err_sys(err, EAGAIN, "cannot start a thread for copies of binaries");
		return NULL;
	}
	return b;
}

void binary_cache_add(struct binary_cache *b, const char *path, const char *name, const uint8_t *id, uint8_t id_size)
{
	struct copy c = { .fd = -1, .id_size = id_size };

	if (name[0] != '/' || strstr(name, "/../") || id_size < 2)
		return;
	memcpy(c.id, id, id_size);
	pthread_mutex_lock(&b->lock);
	c.fd = plain_file_open(path, 0, NULL, NULL);
	c.name = c.fd < 0 ? NULL : strndup(name, path_undeleted_length(name));
	if (!c.name || vec_push(&b->copies, c) < 0) {
		note_failure(b, name, c.fd < 0 ? errno : ENOMEM);
		free(c.name);
		if (c.fd >= 0)
			close(c.fd);
	}
	pthread_cond_signal(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

size_t binary_cache_finish(struct binary_cache *b, struct sonde_error *err)
{
	if (!b)
		return 0;
	if (b->started) {
		pthread_mutex_lock(&b->lock);
		b->ending = true;
		pthread_cond_signal(&b->changed);
		pthread_mutex_unlock(&b->lock);
		pthread_join(b->thread, NULL);
		b->started = false;
	}
	if (b->failed)
		*err = b->err;
	return b->failed;
}

void binary_cache_free(struct binary_cache *b)
{
	struct sonde_error ignored;

	if (!b)
		return;
	binary_cache_finish(b, &ignored);
	vec_free(&b->copies);
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->changed);
	free(b->dir);
	free(b);
}
