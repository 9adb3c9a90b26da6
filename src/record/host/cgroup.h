/* SPDX-License-Identifier: MIT */
/* cgroup.h - the control groups of this machine. */
#ifndef RECORD_HOST_CGROUP_H
#define RECORD_HOST_CGROUP_H

#include <stdint.h>

struct sonde_error;

/**
 * cgroup_each - every control group that events are counted for, parents before children
 * @mounts: "/proc/mounts"; another file is for tests
 * @fn: @path begins with '/', the root is "/". A return other than 0 ends it and is returned.
 * Returns -SONDE_MISSING if the hierarchy is not mounted or this kernel tells no ids.
 */
int cgroup_each(const char *mounts, int (*fn)(void *ctx, uint64_t id, const char *path), void *ctx);

/* A directory of the hierarchy, for PERF_FLAG_PID_CGROUP: @path below the mount point, or the whole path. An fd, or a
 * negative errno; -ENODEV: no hierarchy is mounted. */
int cgroup_open(const char *mounts, const char *path);

/* The same of this machine, with the error said: -SONDE_MISSING if there is no such group. */
int cgroup_open_here(const char *path, struct sonde_error *err);

/* 0 if it can be opened. */
int cgroup_check(const char *path, struct sonde_error *err);

#endif
