/* SPDX-License-Identifier: MIT */
/*
 * kcore_dir.h - directories with kallsyms, modules and kcore of a kernel, copied while it ran: kcore_dir in a recording
 * that is a directory, and [kernel.kcore]/BUILD_ID/STAMP in perf's cache
 */
#ifndef SYMBOL_KCORE_DIR_H
#define SYMBOL_KCORE_DIR_H

#include <limits.h>

#include "symbol/load.h"

/*
 * The kallsyms beside which the kernel or module lies where it was recorded. Any kallsyms of the same kernel serve for
 * the kernel itself, because its own symbols keep their distances. False if there is none.
 */
bool kcore_dir_find(char path[PATH_MAX], const struct load *l);

/* Where a module lies, from a file as /proc/modules; false if it is not there. The name is as in that file. */
bool kcore_dir_module(const char *modules, struct sonde_str name, uint64_t *addr);

/* "/lib/modules/6.1/kernel/fs/nls-ascii.ko.xz" and "[nls_ascii]" are the module nls_ascii. */
struct sonde_str kcore_dir_module_name(char name[NAME_MAX], const char *recorded);

#endif
