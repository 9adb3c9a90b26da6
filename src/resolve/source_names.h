/* SPDX-License-Identifier: MIT */
/* source_names.h - names of functions as DWARF has them, for people: each is demangled once */
#ifndef RESOLVE_SOURCE_NAMES_H
#define RESOLVE_SOURCE_NAMES_H

#include "base/strpool.h"
#include "base/u64map.h"

/* {0} knows none yet. For one thread. */
struct source_names {
	struct u64map of_raw;        /* number of the shown name, by the address of the other one */
	struct strpool shown;
	bool no_demangle;
};

void source_names_free(struct source_names *n);

/*
 * The name to show for one of a source_frame, which may be NULL: it is known by its address, so it lives as long as
 * @n. Equal names are one pointer; NULL when out of memory.
 */
const char *source_names_get(struct source_names *n, const char *raw);

#endif
