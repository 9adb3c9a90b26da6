/* SPDX-License-Identifier: MIT */
#include "record/perf/outdir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/host/kcore.h"
#include "record/host/sysfile.h"

#define PATH_BYTES 4096
#define KCORE_DIR  "kcore_dir"

/* The files of a directory, and the directory unless something else is in it. 0 or a negative errno. */
static int remove_files(const char *dir)
{
	struct arena names_of = { 0 };
	struct names names = { 0 };
	char path[PATH_BYTES];
	int e = sysfile_list(&names_of, dir, &names);

	for (size_t i = 0; e == 0 && i < names.n; i++)
		if (snprintf(path, sizeof(path), "%s/%s", dir, names.at[i]) < (int)sizeof(path))
			unlink(path);        /* fails for directories */
	vec_free(&names);
	arena_free(&names_of);
	return e < 0 ? e : rmdir(dir) < 0 ? -errno : 0;
}

/* A recording: a file, or a directory that has `data`. Nothing else is removed. 0 or a negative errno. */
static int remove_recording(const char *path)
{
	char inside[PATH_BYTES + 16];
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return unlink(path) < 0 ? -errno : 0;
	snprintf(inside, sizeof(inside), "%s/data", path);
	if (lstat(inside, &st) < 0 || !S_ISREG(st.st_mode))
		return -ENOTEMPTY;
	snprintf(inside, sizeof(inside), "%s/" KCORE_DIR, path);
	remove_files(inside);
	return remove_files(path);
}

/* Makes way for a new recording; 1 if there was one. */
static int keep_old(const char *path, struct sonde_error *err)
{
	char old[PATH_BYTES];
	struct stat st;
	int e;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "cannot look at %s", path);
	snprintf(old, sizeof(old), "%s.old", path);
	e = remove_recording(old);
	if (e < 0)
		return err_sys(err, -e, "cannot remove %s", old);
	return rename(path, old) < 0 ? err_sys(err, errno, "cannot rename %s", path) : 1;
}

int outdir_make(struct outdir *d, const char *path, const char *proc, struct arena *a, struct sonde_error *err)
{
	char text[PATH_BYTES + 16];
	int e = proc ? kcore_check(proc, err) : 0;

	if (e < 0)
		return e;
	if (snprintf(text, sizeof(text), "%s/data", path) >= PATH_BYTES - 64)
		return err_sys(err, ENAMETOOLONG, "cannot write %.80s...", path);
	d->data = arena_strndup(a, text, strlen(text));
	path = arena_strndup(a, path, strlen(path));
	if (!d->data || !path)
		return err_nomem(err);
	e = keep_old(path, err);
	if (e < 0)
		return e;
	d->kept_old = e > 0;
	d->path = path;
	if (mkdir(path, 0700) < 0)
		return err_sys(err, errno, "cannot make the directory %s", path);
	snprintf(text, sizeof(text), "%s/" KCORE_DIR, path);
	return proc ? kcore_copy(proc, text, err) : 0;
}

void outdir_discard(struct outdir *d)
{
	char text[PATH_BYTES + 16];

	if (!d->path)
		return;
	snprintf(text, sizeof(text), "%s/" KCORE_DIR, d->path);
	remove_files(text);
	remove_files(d->path);
	snprintf(text, sizeof(text), "%s.old", d->path);
	if (d->kept_old)
		rename(text, d->path);
	d->path = NULL;
}
