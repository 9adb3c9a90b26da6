/* SPDX-License-Identifier: MIT */
/* tables.h - what the threads of a processed profile share: strings, functions, frames, stacks, libraries */
#ifndef EXPORT_FIREFOX_TABLES_H
#define EXPORT_FIREFOX_TABLES_H

#include "base/json.h"
#include "export/locations.h"
#include "export/named_functions.h"

struct firefox_tables {
	const struct sonde_profile *p;
	struct named_functions functions;
	struct locations locations;  /* each is a frame here */
	struct strpool strings;
	struct u64map alone;         /* location: the stack that has only it */
	VEC(uint32_t) alone_locations;
	uint32_t *lib_of_binary;     /* NO_LIB: no function lies in it */
	uint32_t nr_libs;
};

#define NO_LIB UINT32_MAX

/* 0 or -SONDE_NOMEM. To be freed in either case. */
int firefox_tables_make(struct firefox_tables *t, const struct sonde_profile *p);

/* The number of a cell's stack; UINT32_MAX when out of memory. */
uint32_t firefox_tables_stack(struct firefox_tables *t, const struct sonde_profile_cell *cell);

/* The number of a string; UINT32_MAX when out of memory. */
uint32_t firefox_tables_string(struct firefox_tables *t, const char *s);

/* The members "libs" and "shared", when all strings and stacks are known. */
void firefox_tables_put(struct firefox_tables *t, struct json *j);

void firefox_tables_free(struct firefox_tables *t);

/* Categories of frames, by number. */
enum firefox_category { FIREFOX_OTHER, FIREFOX_USER, FIREFOX_KERNEL };

#endif
