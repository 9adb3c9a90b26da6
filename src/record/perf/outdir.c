/* SPDX-License-Identifier: MIT */
#include "record/perf/outdir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/old_recording.h"
#include "record/host/kcore.h"

#define PATH_BYTES 4096
#define KCORE_DIR  "kcore_dir"

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
	e = old_recording_keep(path, err);
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
	old_recording_remove_directory(d->path);
	snprintf(text, sizeof(text), "%s.old", d->path);
	if (d->kept_old)
		rename(text, d->path);
	d->path = NULL;
}
