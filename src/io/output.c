/* SPDX-License-Identifier: MIT */
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"

#define KERNEL_COPY_MIN (64 * 1024)  /* for less, a system call costs more than it saves */

static bool is_same_file(const struct stat *st, const struct file_id *id)
{
	return st->st_dev == id->dev && st->st_ino == id->ino;
}

/* The directory that a path is in, to be freed; NULL when out of memory. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* Whether the path is one of the inputs, by whatever name, or in one that is a directory. */
static bool is_input(const char *path, const struct file_id *inputs, size_t nr)
{
	char *dir = directory_of(path);
	struct stat to, in;
	bool has_to = stat(path, &to) == 0, has_dir = dir && stat(dir, &in) == 0, found = false;

	for (size_t i = 0; i < nr && !found; i++)
		found = (has_to && is_same_file(&to, &inputs[i])) || (has_dir && is_same_file(&in, &inputs[i]));
	free(dir);
	return found;
}

/* An output may replace nothing or a regular file that is no input. */
static int check_place(const char *path, const struct file_id *inputs, size_t nr, struct sonde_error *err)
{
	struct stat to;

	if (is_input(path, inputs, nr))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s is the input: nothing is written over it", path);
	if (lstat(path, &to) < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "cannot create %s", path);
	if (!S_ISREG(to.st_mode))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s is %s: nothing is written there", path,
			       S_ISLNK(to.st_mode)         ? "a symbolic link" :
				       S_ISDIR(to.st_mode) ? "a directory" :
							     "no file");
	return 0;
}

/*
 * A file without a name in the directory of the path, so that nothing is left even when this process is killed. Not
 * every filesystem has them, and without /proc it could not be given its name: -1, and o->growing is not set.
 */
static int open_nameless(struct output *o, const char *path, mode_t mode)
{
	char *dir = directory_of(path);
	int fd = dir ? open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;

	free(dir);
	if (fd >= 0 && asprintf(&o->growing, "/proc/self/fd/%d", fd) < 0)
		o->growing = NULL;
	if (fd >= 0 && (!o->growing || access(o->growing, F_OK) < 0)) {
		close(fd);
		free(o->growing);
		o->growing = NULL;
		return -1;
	}
	return fd;
}

/* A file beside the path that was not there before. */
static int open_beside(struct output *o, const char *path, mode_t mode)
{
	int fd = -1;

	for (unsigned i = 0; i < 1000; i++) {
		free(o->growing);
		if (asprintf(&o->growing, "%s.%d-%u", path, (int)getpid(), i) < 0) {
			o->growing = NULL;
			return -1;
		}
		fd = open(o->growing, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0) {
		int why = errno;

		free(o->growing);
		o->growing = NULL;
		errno = why;
	}
	return fd;
}

static int open_output(struct output *o, const char *path, mode_t mode, const struct file_id *inputs, size_t nr_inputs,
		       struct sonde_error *err)
{
	int r, fd;

	*o = (struct output){ .buf = { .fd = -1 } };
	if (strcmp(path, "-") == 0) {
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return err_sys(err, errno, "cannot write to the standard output");
		o->buf = BUF_TO(fd, err);
		return 0;
	}
	r = check_place(path, inputs, nr_inputs, err);
	if (r < 0)
		return r;
	o->path = strdup(path);
	if (!o->path)
		return err_nomem(err);
	fd = open_nameless(o, path, mode);
	o->nameless = fd >= 0;
	if (fd < 0)
		fd = open_beside(o, path, mode);
	if (fd < 0) {
		r = err_sys(err, errno, "cannot create %s", path);
		output_close(o);
		return r;
	}
	o->buf = BUF_TO(fd, err);
	return 0;
}

int output_open(struct output *o, const char *path, const struct image *from, struct sonde_error *err)
{
	struct stat in;
	bool known = from && from->fd >= 0 && fstat(from->fd, &in) == 0;

	return open_output(o, path, 0600, &(struct file_id){ known ? in.st_dev : 0, known ? in.st_ino : 0 }, known,
			   err);
}

int output_open_shared(struct output *o, const char *path, const struct file_id *inputs, size_t nr_inputs,
		       struct sonde_error *err)
{
	return open_output(o, path, 0666, inputs, nr_inputs, err);
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;

	while (dir && n <= 2 && (entry = readdir(dir)))
		n++;
	if (dir)
		closedir(dir);
	return dir && n <= 2;  /* . and .. */
}

/* A file without a name that can be given one; -1: not on this filesystem, or without /proc. */
static int nameless_in(const struct output_dir *d)
{
	int fd = openat(d->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fd >= 0 && access(name, F_OK) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int output_dir_open(struct output_dir *d, const char *path, struct sonde_error *err)
{
	struct stat st;
	char *parent;
	int fd, r = 0;

	*d = (struct output_dir){ .fd = -1 };
	if (strcmp(path, "-") == 0)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a directory needs a name");
	if (lstat(path, &st) == 0 && !(S_ISDIR(st.st_mode) && is_empty(path)))
		return err_set(err, SONDE_USAGE, SONDE_NONE,
			       "%s is there already: a directory is written where there is none", path);
	d->path = strdup(path);
	parent = d->path ? directory_of(path) : NULL;
	if (!parent) {
		output_dir_close(d);
		return err_nomem(err);
	}
	d->fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (d->fd < 0) {
		r = err_sys(err, errno, "cannot create %s", path);
		output_dir_close(d);
		return r;
	}
	/* what cannot be created is said now, not when all has been written */
	fd = nameless_in(d);
	if (fd >= 0)
		close(fd);
	else if ((r = output_dir_show(d, err)) < 0)
		output_dir_close(d);
	return r;
}

static int name_file(struct output_dir *d, struct output_dir_file *f)
{
	char from[32];
	int r;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	r = linkat(AT_FDCWD, from, d->fd, f->name, AT_SYMLINK_FOLLOW);
	if (r == 0) {
		close(f->fd);
		f->fd = -1;
	}
	return r;
}

int output_dir_show(struct output_dir *d, struct sonde_error *err)
{
	bool made;
	int fd, r = 0;

	if (!d->growing) {
		if (asprintf(&d->growing, "%s.XXXXXX", d->path) < 0) {
			d->growing = NULL;
			return err_nomem(err);
		}
		made = mkdtemp(d->growing);
		fd = made ? open(d->growing, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd < 0) {
			r = err_sys(err, errno, "cannot create %s", d->path);
			if (made)
				rmdir(d->growing);
			free(d->growing);
			d->growing = NULL;
			return r;
		}
		close(d->fd);
		d->fd = fd;
	}
	for (size_t i = 0; r == 0 && i < d->files.n; i++)
		if (d->files.at[i].fd >= 0 && name_file(d, &d->files.at[i]) < 0)
			r = err_sys(err, errno, "cannot create %s", d->files.at[i].name);
	return r;
}

/* A file without a name, which is kept open until it gets one; -1: one of the two cannot be. */
static int open_unseen(struct output_dir *d, struct output_dir_file *f)
{
	int fd = d->growing ? -1 : nameless_in(d);

	f->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && f->fd < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int output_open_in(struct output *o, struct output_dir *d, const char *name, struct sonde_error *err)
{
	struct output_dir_file f = { .name = strdup(name), .fd = -1 };
	int fd, r = 0;

	*o = (struct output){ .buf = { .fd = -1 }, .path = strdup(name) };
	if (!o->path || !f.name || vec_reserve(&d->files, 1) < 0) {
		free(f.name);
		output_close(o);
		return err_nomem(err);
	}
	fd = open_unseen(d, &f);
	if (fd < 0)
		r = output_dir_show(d, err);  /* not here, or not so many of them */
	d->files.at[d->files.n++] = f;
	if (fd < 0 && r == 0)
		fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		r = r < 0 ? r : err_sys(err, errno, "cannot create %s", name);
		output_close(o);
		return r;
	}
	o->buf = BUF_TO(fd, err);
	return 0;
}

int output_dir_finish(struct output_dir *d, struct sonde_error *err)
{
	int r = output_dir_show(d, err);

	if (r < 0)
		return r;
	if (rename(d->growing, d->path) < 0)
		return err_sys(err, errno, "cannot give %s its name", d->path);
	free(d->growing);
	d->growing = NULL;
	return 0;
}

void output_dir_close(struct output_dir *d)
{
	for (size_t i = 0; i < d->files.n; i++) {
		if (d->files.at[i].fd >= 0)
			close(d->files.at[i].fd);
		else if (d->growing)
			unlinkat(d->fd, d->files.at[i].name, 0);
		free(d->files.at[i].name);
	}
	vec_free(&d->files);
	if (d->growing)
		rmdir(d->growing);
	if (d->fd >= 0)
		close(d->fd);
	free(d->growing);
	free(d->path);
	*d = (struct output_dir){ .fd = -1 };
}

/* Leaves a hole; false if the output cannot have one. */
static bool leave_hole(struct output *o, uint64_t n)
{
	uint64_t end;

	if (n < IMAGE_HOLE_MIN || !output_can_seek(o) || buf_flush(&o->buf) < 0)
		return false;
	end = o->buf.written + n;
	if (ftruncate(o->buf.fd, (off_t)end) < 0 || lseek(o->buf.fd, (off_t)end, SEEK_SET) < 0)
		return false;
	o->buf.written = end;
	return true;
}

/* How many of n bytes the kernel has copied; 0: it cannot, or the input has ended. */
static uint64_t copy_by_kernel(struct output *o, struct image *im, uint64_t at, uint64_t n)
{
	off_t from = (off_t)at;
	ssize_t got;

	if (im->fd < 0 || n < KERNEL_COPY_MIN || !output_can_seek(o) || buf_flush(&o->buf) < 0)
		return 0;
	got = copy_file_range(im->fd, &from, o->buf.fd, NULL, n < IMAGE_VIEW_MAX ? (size_t)n : IMAGE_VIEW_MAX, 0);
	if (got <= 0)
		return 0;
	o->buf.written += (uint64_t)got;
	if (im->progress.fn)
		im->progress.fn(im->progress.ctx, (double)at / (double)im->size);
	return (uint64_t)got;
}

int output_copy(struct output *o, struct image *im, uint64_t at, uint64_t n, struct sonde_error *err)
{
	while (n) {
		uint64_t hole = image_hole(im, at, n), copied;
		const uint8_t *p;
		size_t got;

		if (hole && leave_hole(o, hole)) {
			at += hole;
			n -= hole;
			continue;
		}
		copied = copy_by_kernel(o, im, at, n);
		if (copied) {
			at += copied;
			n -= copied;
			continue;
		}
		p = image_view_some(im, at, n, &got);
		if (!p || !got)
			return image_failed(im, err) < 0 ? -SONDE_SYSTEM :
			       err_set(err, SONDE_TRUNCATED, at, "the input became shorter while it was read");
		buf_put(&o->buf, p, got);
		at += got;
		n -= got;
	}
	return o->buf.failed;
}

int output_patch(struct output *o, const void *p, size_t n, uint64_t at, struct sonde_error *err)
{
	int bad;

	if (buf_flush(&o->buf) < 0)
		return o->buf.failed;
	bad = fd_write_at(o->buf.fd, p, n, at);
	return bad ? err_sys(err, bad, "cannot write") : 0;
}

/* linkat(2) replaces nothing, so the name comes in two steps when it is taken. */
static int name_nameless(struct output *o)
{
	char *beside = NULL;
	int r = -1;

	for (unsigned i = 0; i < 1000; i++) {
		free(beside);
		if (asprintf(&beside, "%s.%d-%u", o->path, (int)getpid(), i) < 0)
			return -1;
		r = linkat(AT_FDCWD, o->growing, AT_FDCWD, beside, AT_SYMLINK_FOLLOW);
		if (r == 0 || errno != EEXIST)
			break;
	}
	if (r < 0) {
		free(beside);
		return -1;
	}
	free(o->growing);
	o->growing = beside;
	o->nameless = false;
	return 0;
}

int output_finish(struct output *o, struct sonde_error *err)
{
	if (buf_flush(&o->buf) < 0)
		return o->buf.failed;
	if (!o->growing)
		return 0;
	if (o->nameless && name_nameless(o) < 0)
		return err_sys(err, errno, "cannot give %s its name", o->path);
	if (rename(o->growing, o->path) < 0)
		return err_sys(err, errno, "cannot give %s its name", o->path);
	free(o->growing);
	o->growing = NULL;
	return 0;
}

void output_close(struct output *o)
{
	if (o->growing && !o->nameless)
		unlink(o->growing);
	if (o->buf.fd >= 0)
		close(o->buf.fd);
	buf_free(&o->buf);
	free(o->growing);
	free(o->path);
	*o = (struct output){ .buf = { .fd = -1 } };
}
