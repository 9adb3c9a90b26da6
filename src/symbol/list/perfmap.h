/* SPDX-License-Identifier: MIT */
/* perfmap.h - /tmp/perf-PID.map: what a just-in-time compiler says about its code, "START SIZE name" in hex. */
#ifndef SYMBOL_LIST_PERFMAP_H
#define SYMBOL_LIST_PERFMAP_H

#include "symbol/table/symtab.h"

/* Adds every line that makes sense, of lines that overlap the later one; returns how many made none. */
size_t perfmap_add(struct symtab_builder *b, const char *text, size_t size);

#endif
