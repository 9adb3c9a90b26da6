/* SPDX-License-Identifier: MIT */
/* kcore.h - a copy of the code of the running kernel, out of /proc/kcore */
#ifndef RECORD_HOST_KCORE_H
#define RECORD_HOST_KCORE_H

#include "base/err.h"

/* The files of a copy, in its directory. */
#define KCORE_FILE    "kcore"
#define KCORE_SYMBOLS "kallsyms"
#define KCORE_MODULES "modules"

/* 0, or why the kernel's memory cannot be read here. */
int kcore_check(const char *proc, struct sonde_error *err);

/**
 * kcore_copy - make the directory @dir with kcore, kallsyms and modules, as perf record --kcore does
 * @proc: "/proc". kcore is an ELF file with the text of the kernel and of its modules at their addresses. Holes take no
 * room.
 */
int kcore_copy(const char *proc, const char *dir, struct sonde_error *err);

#endif
