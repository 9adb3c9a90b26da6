/* SPDX-License-Identifier: MIT */
/* sysfile.h - small files of /proc, /sys and tracefs, and the lists in them. */
#ifndef RECORD_HOST_SYSFILE_H
#define RECORD_HOST_SYSFILE_H

#include <sonde/types.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"

struct names {
	const char **at;
	size_t n, cap;
};

struct cpus {
	int32_t *at;
	size_t n, cap;
};

/* The text of a small file without its last newline, NUL-terminated and cut at cap; its length or a negative errno. */
ssize_t sysfile_read(char *out, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A file that holds one number, decimal or 0x hex; false if it is not there or holds none. */
bool sysfile_u64(uint64_t *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the entries of a directory, sorted, without those that start with a dot. 0 or a negative errno. */
int sysfile_list(struct arena *a, const char *dir, struct names *out);

/* "0-3,8": adds the CPUs, each once and in order. 0, -SONDE_USAGE (not a list) or -SONDE_NOMEM. */
int cpus_parse(struct cpus *out, const char *text);

/* CPUs that are online; at least CPU 0. 0 or -SONDE_NOMEM. */
int cpus_online(struct cpus *out, const char *sysfs);

#endif
