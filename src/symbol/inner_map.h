/* SPDX-License-Identifier: MIT */
/* inner_map.h - the map or the dump of a just-in-time compiler that runs in a container */
#ifndef SYMBOL_INNER_MAP_H
#define SYMBOL_INNER_MAP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * perf-PID.map below @map_dir of the container, where the process has another number, seen through the process itself.
 * False if it has ended, is in no container, or began after the recording was written (@recorded_s; 0: not known):
 * it is another process then.
 */
bool inner_map_path(char path[PATH_MAX], int32_t pid, const char *map_dir, int64_t recorded_s);

/* The same of a file that has that name in the container. */
bool inner_file_path(char path[PATH_MAX], int32_t pid, const char *name, int64_t recorded_s);

#endif
