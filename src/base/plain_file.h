/* SPDX-License-Identifier: MIT */
/*
 * plain_file.h - a file that a recording names, opened only if reading it has no effects
 *
 * A recording names any path as a binary. Opening a FIFO or a device has effects, and so has opening some files of the
 * kernel's own filesystems: free_buffer of a trace instance empties it, trace_pipe and /proc/kmsg are emptied by their
 * readers. So a file is looked at before it is opened.
 */
#ifndef BASE_PLAIN_FILE_H
#define BASE_PLAIN_FILE_H

#include <sys/stat.h>

#include "base/err.h"

/**
 * plain_file_open - open a regular file for reading
 * @flags: beside O_RDONLY and O_CLOEXEC; O_NOFOLLOW refuses a symbolic link
 * @st: of the file that was opened; may be NULL
 * Empty files and files of procfs, sysfs, tracefs and the like are refused, never opened. Returns a file descriptor,
 * -SONDE_SYSTEM or -SONDE_DENIED as open(2) says, -SONDE_FORMAT for what is no plain file.
 */
int plain_file_open(const char *path, int flags, struct stat *st, struct sonde_error *err);

/* The same of a path below a directory, without following a symbolic link: path_open_below(). */
int plain_file_open_below(int dir, const char *path, struct stat *st, struct sonde_error *err);

#endif
