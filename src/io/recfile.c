/* SPDX-License-Identifier: MIT */
#include "io/recfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/old_recording.h"

#define ATTEMPTS_MAX 100             /* others may come and go at the same name */
#define AGAIN 1

/* Whether the path still leads to the open file. */
static bool is_at(int fd, const char *path)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
	       open_one.st_ino == named.st_ino;
}

/* 0, AGAIN if the path has become another file's meanwhile. A filesystem without locks has one recorder at a time. */
static int lock(int fd, const char *path, struct sonde_error *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(err, SONDE_SYSTEM, SONDE_NONE,
			       "another recorder is writing %s: choose another name (-o)", path);
	return is_at(fd, path) ? 0 : AGAIN;
}

/* Out of the way of the new file. */
static int keep_old(struct recfile *f, struct sonde_error *err)
{
	struct stat st;
	int e;

	if (lstat(f->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		return unlink(f->path) < 0 && errno != ENOENT ? err_sys(err, errno, "cannot replace the empty file") :
								0;
	e = old_recording_keep(f->path, err);
	f->kept_old = e > 0;
	return e < 0 ? e : 0;
}

static int create_locked(struct recfile *f, int access, struct sonde_error *err)
{
	int e;

	f->fd = open(f->path, access | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0600);
	if (f->fd < 0)
		return errno == EEXIST ? AGAIN : err_sys(err, errno, "cannot create %s", f->path);
	e = lock(f->fd, f->path, err);
	if (e != 0) {
		close(f->fd);
		f->fd = -1;
	}
	return e;
}

/* The old file stays locked until the new one is, so that of two recorders only one puts it aside. */
static int attempt(struct recfile *f, int access, struct sonde_error *err)
{
	struct stat st;
	int old, e = 0;

	if (lstat(f->path, &st) < 0)
		return create_locked(f, access, err);
	if (!S_ISREG(st.st_mode) && !(S_ISDIR(st.st_mode) && old_recording_is_directory(f->path)))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s is %s: nothing is recorded there", f->path,
			       S_ISLNK(st.st_mode)         ? "a symbolic link" :
				       S_ISDIR(st.st_mode) ? "a directory" :
							     "no file");
	old = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (old >= 0)                /* else it is somebody else's file, which may be put aside nevertheless */
		e = lock(old, f->path, err);
	if (e == 0)
		e = keep_old(f, err);
	if (e == 0)
		e = create_locked(f, access, err);
	if (old >= 0)
		close(old);
	return e;
}

int recfile_create(struct recfile *f, const char *path, int access, struct sonde_error *err)
{
	int e = AGAIN;

	*f = RECFILE_NONE;
	f->path = strdup(path);
	if (!f->path)
		return err_nomem(err);
	for (int i = 0; i < ATTEMPTS_MAX && e == AGAIN; i++)
		e = attempt(f, access, err);
	if (e == AGAIN)
		e = err_set(err, SONDE_SYSTEM, SONDE_NONE, "cannot create %s: other programs create files of that name",
			    path);
	if (e < 0)
		recfile_close(f);
	return e;
}

void recfile_discard(struct recfile *f)
{
	char old[PATH_MAX];

	if (f->path && is_at(f->fd, f->path)) {
		bool back = f->kept_old && snprintf(old, sizeof(old), "%s.old", f->path) < (int)sizeof(old);

		if (!back || rename(old, f->path) < 0) {
			unlink(f->path);
			if (back)            /* it is a directory, which does not take the place of a file */
				rename(old, f->path);
		}
	}
	recfile_close(f);
}

void recfile_close(struct recfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = RECFILE_NONE;
}
