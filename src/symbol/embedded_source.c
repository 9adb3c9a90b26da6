/* SPDX-License-Identifier: MIT */
#include "symbol/embedded_source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "symbol/source_lines.h"

/* Whether the path is the directory or lies below it. */
static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	return n && !strncmp(path, dir, n) && (path[n] == '/' || !path[n] || dir[n - 1] == '/');
}

/* A part that begins with a dot: "..", ".", and what programs hide, such as keys. */
static bool has_hidden_part(const char *path)
{
	return strstr(path, "/.") != NULL;
}

static size_t nr_parts(const char *path)
{
	size_t n = 0;

	for (const char *p = path; *p; p++)
		n += *p == '/' && p[1] && p[1] != '/';
	return n;
}

/*
 * A directory in which somebody builds programs. The one that DWARF names is the sender's word: the root, a directory
 * of the system or a whole home directory is none.
 */
static bool is_build_dir(const char *dir)
{
	static const char *const of_system[] = {
		"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/lost+found", "/proc", "/run",
		"/sbin", "/sys", "/usr", "/var",
	};
	const char *home = getenv("HOME");
	size_t n = nr_parts(dir);

	if (dir[0] != '/' || has_hidden_part(dir) || n < 2)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(of_system); i++)
		if (is_below(dir, of_system[i]))
			return false;
	if (is_below(dir, "/home") && n < 3)
		return false;
	return !home || home[0] != '/' || !is_below(home, dir);
}

/* Many build in a directory beside that of the sources: the directory around it counts, too. */
static bool is_of_build(const char *dir, void *path)
{
	char around[PATH_MAX];
	const char *slash = strrchr(dir, '/');

	if (!is_build_dir(dir))
		return false;
	snprintf(around, sizeof(around), "%.*s", (int)(slash - dir), dir);
	return is_below(path, dir) || (is_build_dir(around) && is_below(path, around));
}

/* The path without "." and ".."; false if it is too long or not absolute. */
static bool plain_path(char to[PATH_MAX], const char *path)
{
	size_t n = 0;

	if (path[0] != '/')
		return false;
	while (*path) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 2 && !memcmp(path, "..", 2)) {
			while (n && to[--n] != '/')
				;
		} else if (len && !(len == 1 && *path == '.')) {
			if (len + 2 > PATH_MAX - n)
				return false;
			to[n++] = '/';
			memcpy(to + n, path, len);
			n += len;
		}
		path += len;
	}
	to[n] = 0;
	return n > 0;
}

/* Headers and sources that packages install for everybody. */
static bool is_public(const char *path)
{
	return is_below(path, "/usr/include") || is_below(path, "/usr/src") || is_below(path, "/usr/lib/gcc") ||
	       is_below(path, "/usr/local/include");
}

static bool is_source_name(const char *path)
{
	static const char *const ends[] = {
		"c", "cc", "cpp", "cxx", "c++", "C", "h", "hh", "hpp", "hxx", "h++", "H", "inc", "inl", "ipp", "tcc",
		"tpp", "s", "S", "asm", "rs", "go", "d", "f", "f90", "F90", "f95", "swift", "zig", "nim", "m", "mm",
		"ml", "hs", "pas", "adb", "ads", "y", "l", "cu", "cuh", "cr", "v", "java", "kt", "py", "pyx", "js",
	};
	const char *slash = strrchr(path, '/'), *dot = slash ? strrchr(slash, '.') : NULL;

	if (!dot)  /* a header of C++ */
		return strstr(path, "/include/");
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(dot + 1, ends[i]))
			return true;
	return false;
}

/* The directory of the file, step by step from the root, through no symbolic link. Negative: there is one, or none. */
static int open_directory(const char *path, const char **name)
{
	int dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	char part[NAME_MAX + 1];

	while (dir >= 0) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (!path[n])
			break;
		if (n > NAME_MAX) {
			close(dir);
			return -1;
		}
		memcpy(part, path, n);
		part[n] = 0;
		next = openat(dir, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
		path += n;
	}
	*name = path;
	return dir;
}

static int open_without_links(const char *path, struct stat *st)
{
	char at[PATH_MAX];
	const char *name;
	int dir = open_directory(path, &name), fd = -SONDE_MISSING;

	if (dir < 0)
		return -SONDE_MISSING;
	if (snprintf(at, sizeof(at), "/proc/self/fd/%d/%s", dir, name) < (int)sizeof(at))
		fd = plain_file_open(at, O_NOFOLLOW, st, NULL);
	close(dir);
	return fd;
}

int embedded_source_open(const char *as_named, const char *const *dirs, size_t nr_dirs, struct source_lines *lines,
			 const struct binary *b, struct stat *st, const char **why)
{
	char path[PATH_MAX];
	bool named = false;
	struct stat there;
	int fd;

	*why = NULL;
	if (!plain_path(path, as_named) || stat(path, &there) < 0)
		return -SONDE_MISSING;
	for (size_t i = 0; i < nr_dirs && !named; i++) {
		char *dir = realpath(dirs[i], NULL);

		named = dir && is_below(path, dir);
		free(dir);
	}
	if (has_hidden_part(path) || !is_source_name(path))
		*why = "its name is not that of a source";
	else if (!named && !is_public(path) && !source_lines_built_in(lines, b, is_of_build, path))
		*why = "it is not below a directory in which the program was built (--source-dir DIR names others)";
	if (*why)
		return -SONDE_DENIED;
	fd = open_without_links(path, st);
	if (fd < 0) {
		*why = "it is no regular file, or a symbolic link is on the way to it";
		return -SONDE_DENIED;
	}
	return fd;
}

bool embedded_source_is_text(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f)
			return false;
	}
	return true;
}
