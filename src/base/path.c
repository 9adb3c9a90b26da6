/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
