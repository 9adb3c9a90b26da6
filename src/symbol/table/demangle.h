/* SPDX-License-Identifier: MIT */
/* demangle.h - names of C++, Rust and D as their programmers wrote them. */
#ifndef SYMBOL_TABLE_DEMANGLE_H
#define SYMBOL_TABLE_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the name, without parameters but in D; false, and nothing appended, if it is not mangled (or not sanely). */
bool demangle(struct buf *out, const char *name);

#endif
