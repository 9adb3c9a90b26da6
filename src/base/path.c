/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_print(char path[PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, PATH_MAX, fmt, ap);
	va_end(ap);
	return n > 0 && n < PATH_MAX;
}

int path_dir_length(const char *path)
{
	return (int)(path_base(path) - path);
}

size_t path_undeleted_length(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path), m = sizeof(mark) - 1;

	return n > m && !strcmp(path + n - m, mark) ? n - m : n;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int path_make_directory(const char *path, struct sonde_error *err)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 :
		err_sys(err, errno, "cannot make the directory %s", path);
}

/* ENOTDIR and ELOOP both mean a symbolic link here, by the kernel's version and the flags. */
static int open_one(int at, const char *name, int flags)
{
	int fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOTDIR) {
		bool link = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);

		errno = link ? ELOOP : ENOTDIR;
	}
	return fd;
}

int path_open_below(int at, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int dir = at, next, saved;
	size_t n;

	while (path[n = strcspn(path, "/")]) {
		if (n >= sizeof(part)) {
			errno = ENAMETOOLONG;
			next = -1;
		} else {
			memcpy(part, path, n);
			part[n] = '\0';
			next = open_one(dir, part, O_RDONLY | O_DIRECTORY);
		}
		saved = errno;
		if (dir != at)
			close(dir);
		errno = saved;
		if (next < 0)
			return -1;
		dir = next;
		path += n + strspn(path + n, "/");
	}
	next = open_one(dir, path, flags);
	saved = errno;
	if (dir != at)
		close(dir);
	errno = saved;
	return next;
}

bool path_is_own(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (!path_print(part, "%s", path))
		return false;
	while (stat(part, &st) < 0) {
		char *slash = strrchr(part, '/');

		if (!slash || !part[1] || (errno != ENOENT && errno != ENOTDIR))
			return false;
		slash[slash == part] = '\0';
	}
	return st.st_uid == geteuid() || st.st_uid == 0;
}
