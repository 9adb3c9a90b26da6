/* SPDX-License-Identifier: MIT */
/* demangle.h - names of C++, Rust, D, OCaml and Java as their programmers wrote them. */
#ifndef SYMBOL_TABLE_DEMANGLE_H
#define SYMBOL_TABLE_DEMANGLE_H

#include <stdbool.h>

#include <string.h>

#include "base/buf.h"

/* False: demangle() has nothing to say about the name. Most names of a kernel that begin with '_' are not mangled. */
static inline bool demangle_may_know(const char *name)
{
	if (name[0] == '_')
		return name[1] == 'Z' || name[1] == 'R' || name[1] == 'D' || !strncmp(name, "_GLOBAL_", 8);
	return name[0] == 'L' || !strncmp(name, "caml", 4);
}

/*
 * Appends the name, without parameters but in D and Java; false, and nothing appended, if it is not mangled (or not
 * sanely).
 */
bool demangle(struct buf *out, const char *name);

#endif
