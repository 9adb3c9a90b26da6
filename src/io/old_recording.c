/* SPDX-License-Identifier: MIT */
#include "io/old_recording.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files of a directory, and the directory unless something else is in it. 0 or a negative errno. */
static int remove_files(const char *dir)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(d)))
		if (snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < (int)sizeof(path))
			unlink(path);        /* fails for directories */
	closedir(d);
	return rmdir(dir) < 0 ? -errno : 0;
}

bool old_recording_is_directory(const char *path)
{
	char inside[PATH_MAX];
	struct stat st;

	return snprintf(inside, sizeof(inside), "%s/data", path) < (int)sizeof(inside) && lstat(inside, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

int old_recording_remove_directory(const char *path)
{
	char inside[PATH_MAX];

	if (snprintf(inside, sizeof(inside), "%s/kcore_dir", path) < (int)sizeof(inside))
		remove_files(inside);
	return remove_files(path);
}

static int remove_recording(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return unlink(path) < 0 ? -errno : 0;
	return old_recording_is_directory(path) ? old_recording_remove_directory(path) : -ENOTEMPTY;
}

int old_recording_keep(const char *path, struct sonde_error *err)
{
	char old[PATH_MAX];
	int e;

	if ((size_t)snprintf(old, sizeof(old), "%s.old", path) >= sizeof(old))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the name is too long");
	if (rename(path, old) == 0)
		return 1;
	if (errno == ENOENT)
		return 0;
	/* A directory takes the place of an empty one only, and a file that of a file. */
	e = remove_recording(old);
	if (e < 0)
		return err_sys(err, -e, "cannot remove %s", old);
	return rename(path, old) < 0 ? err_sys(err, errno, "cannot rename the old recording to %s", old) : 1;
}
