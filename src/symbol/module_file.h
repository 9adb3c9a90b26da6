/* SPDX-License-Identifier: MIT */
/* module_file.h - the files of a kernel module: the one that was loaded, and a separate one with its DWARF. */
#ifndef SYMBOL_MODULE_FILE_H
#define SYMBOL_MODULE_FILE_H

#include "symbol/find_file.h"

/* As find_running_file(); a module without a path is looked for in modules.dep of the recorded kernel. */
int find_module(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason);

/* As find_debug_file(): x.ko.debug and its like. module: the file that was loaded, NULL if it was not found. */
int find_module_debug(struct found *f, const struct find_paths *p, const struct binary *b, const struct found *module);

#endif
