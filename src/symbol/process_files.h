/* SPDX-License-Identifier: MIT */
/*
 * process_files.h - what /proc tells of a recorded process that still runs: its user, its files in a container
 *
 * A process that began after the recording was written (@recorded_s; 0: not known) is another one: nothing is told.
 */
#ifndef SYMBOL_PROCESS_FILES_H
#define SYMBOL_PROCESS_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * perf-PID.map below @map_dir of the container, where the process has another number, seen through the process itself.
 * False if it has ended or is in no container.
 */
bool process_map_path(char path[PATH_MAX], int32_t pid, const char *map_dir, int64_t recorded_s);

/* The same of a file that has that name in the container. */
bool process_file_path(char path[PATH_MAX], int32_t pid, const char *name, int64_t recorded_s);

/* Its effective user; false if it has ended. */
bool process_user(int32_t pid, int64_t recorded_s, uid_t *user);

#endif
