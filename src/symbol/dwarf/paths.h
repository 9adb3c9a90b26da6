/* SPDX-License-Identifier: MIT */
/* paths.h - where the files are looked for that a debug file refers to. */
#ifndef SYMBOL_DWARF_PATHS_H
#define SYMBOL_DWARF_PATHS_H

#include "base/arena.h"
#include "base/path.h"
#include "symbol/elf/file.h"

/* Places that the user gave. */
struct dwarf_opts {
	const char *symfs;           /* "" or NULL: none */
	const char *const *debug_dirs;   /* ends with NULL; NULL: none */
	const char *binary;          /* path of the binary that ran, if the debug file is another one; or NULL */
};

struct dwarf_paths {
	struct dwarf_opts;           /* no member is NULL but binary */
	const char *debug;           /* path of the debug file */
	struct arena text;
};

/* Copies; 0 or -SONDE_NOMEM. */
int dwarf_paths_init(struct dwarf_paths *p, const char *debug, const struct dwarf_opts *opts);
void dwarf_paths_free(struct dwarf_paths *p);

#endif
