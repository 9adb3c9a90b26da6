/* SPDX-License-Identifier: MIT */
/* system_calls.h - the system calls by which events are counted, in a table that a test can replace. */
#ifndef RECORD_COUNT_SYSTEM_CALLS_H
#define RECORD_COUNT_SYSTEM_CALLS_H

#include <sonde/event.h>
#include <sys/types.h>

/* All return a negative errno on failure. */
struct system_calls {
	int (*open)(const struct sonde_attr *attr, int32_t tid, int32_t cpu, int group, unsigned long flags);
	int (*control)(int fd, unsigned long request, void *arg);
	ssize_t (*read)(int fd, void *to, size_t n);
	void *(*map)(int fd, size_t n);  /* NULL on failure */
};

extern const struct system_calls kernel_calls;

#endif
