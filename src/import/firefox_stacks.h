/* SPDX-License-Identifier: MIT */
/* firefox_stacks.h - the tables of a Firefox profile that samples refer to, as functions and stacks of a profile */
#ifndef IMPORT_FIREFOX_STACKS_H
#define IMPORT_FIREFOX_STACKS_H

#include "import/import.h"
#include "import/json_file.h"

/* The lists outside of the tables that tables refer to. Borrowed. */
struct firefox_context {
	const struct binary *const *libs;
	size_t nr_libs;
	const bool *is_kernel;       /* by category */
	size_t nr_categories;
	const struct firefox_stacks *shared;  /* whose strings tables without strings have: versions 56 to 59 */
};

struct firefox_stacks {
	struct import *im;
	struct strpool texts;
	VEC(const char *) strings;
	VEC(uint32_t) frames;        /* by row of frameTable: the frame of the profile */
	/* by row of stackTable */
	VEC(struct imported_stack) stacks;  /* `function` is HASH_INDEX_NONE of a row that makes no sense */
	VEC(int32_t) prefix, frame;  /* prefix -1: the row is a root */
	VEC(uint32_t) innermost;
};

/* Whether the object at a cursor has tables, not only strings. */
bool firefox_stacks_are_in(struct json_cursor c);

/* Reads the tables of a thread, or those that threads share. {0} before. 0 or the failure. */
int firefox_stacks_read(struct firefox_stacks *t, struct import *im, struct json_cursor c,
			const struct firefox_context *context);

/* The stack of a row. 0, -SONDE_NOMEM; after import_bad() it is the empty one. */
int firefox_stacks_at(struct firefox_stacks *t, double row, uint64_t at, struct imported_stack *out);

void firefox_stacks_free(struct firefox_stacks *t);

#endif
