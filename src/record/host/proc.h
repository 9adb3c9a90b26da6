/* SPDX-License-Identifier: MIT */
/* proc.h - what /proc says about tasks, their address spaces, the kernel and its modules. */
#ifndef RECORD_HOST_PROC_H
#define RECORD_HOST_PROC_H

#include <sonde/types.h>

/* Of /proc/PID/task/TID/status. */
struct proc_status {
	char name[64];
	int32_t tgid, ppid;
	bool has_memory;             /* false: a thread of the kernel */
};
bool proc_parse_status(const char *text, struct proc_status *out);

/* A line of /proc/PID/maps; name is a view of the line, "" for anonymous memory. */
struct proc_map {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min, prot, flags;
	struct sonde_str name;
};
bool proc_parse_map(const char *line, size_t len, struct proc_map *out);

/* The text of the kernel image by the first symbols of a kallsyms and the size that /proc/iomem has. */
struct proc_kernel {
	const char *symbol;          /* "_text" or "_stext": by it a reader tells where the kernel was loaded */
	uint64_t addr;               /* of that symbol; 0: addresses are hidden */
	uint64_t end;
};
bool proc_kernel(const char *kallsyms, const char *iomem, struct proc_kernel *out);

/* A line of /proc/modules. */
struct proc_module {
	char name[64];
	uint64_t addr, size;         /* addr 0: hidden */
};
bool proc_parse_module(const char *line, size_t len, struct proc_module *out);

/* Calls fn for each line of n bytes; stops when it returns non-zero, and returns that. */
int proc_lines(const char *text, size_t n, int (*fn)(void *ctx, const char *line, size_t len), void *ctx);

#endif
