/* SPDX-License-Identifier: MIT */
/* path.h - paths of files: made of parts, and taken apart. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* False: the path would be empty or too long. */
bool path_print(char path[PATH_MAX], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The number of characters up to the last slash, with it; 0: there is none. */
int path_dir_length(const char *path);

/* The number of characters without the " (deleted)" that the kernel adds to the path of a file without a name. */
size_t path_undeleted_length(const char *path);

/* The name after the last slash. */
const char *path_base(const char *path);

/* Makes a directory; one that exists is fine, because others may make it at the same time. 0 or negative. */
int path_make_directory(const char *path, struct sonde_error *err);

/*
 * Whether nobody but this user and root has made the directory: true if the deepest part of the path that exists
 * belongs to one of them. Files for later runs are kept only there: with a user's HOME, root would leave directories
 * that the user cannot write to, and a link of the user would lead root anywhere.
 */
bool path_is_own(const char *path);

/**
 * path_open_below - open a file or directory below the directory @at, following no symbolic link
 * @path: relative, without ".."
 * @flags: as for open(2), beside O_NOFOLLOW and O_CLOEXEC
 * Returns a descriptor, or -1 with errno; ELOOP: a part of the path is a symbolic link.
 */
int path_open_below(int at, const char *path, int flags);

#endif
