/* SPDX-License-Identifier: MIT */
/* tracefs.h - files of the kernel's tracing file system */
#ifndef RECORD_HOST_TRACEFS_H
#define RECORD_HOST_TRACEFS_H

#include "base/buf.h"

/* The advice to a user. */
#define TRACEFS_NOT_MOUNTED "tracefs is not mounted: `mount -t tracefs nodev /sys/kernel/tracing` (as root) mounts it"
#define TRACEFS_NOT_PERMITTED \
	"%s belongs to root: be root, or let your group in by `mount -o remount,gid=GROUP,mode=0770 %s`"

#define TRACEFS_PATH 4096            /* bytes: those of its directory, and three names */
#define TRACEFS_DIR_MAX 2048

/* A tracefs that is mounted: "/sys/kernel/tracing" or the place in debugfs; NULL if there is none. */
const char *tracefs_find(void);

/* The text of a file, however long; 0 or a negative errno. */
int tracefs_read(struct buf *out, const char *dir, const char *file);
/* Opens, writes, closes: 0 or a negative errno. */
int tracefs_write(const char *dir, const char *file, const char *value, bool append);

#endif
