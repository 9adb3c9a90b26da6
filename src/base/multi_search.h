/* SPDX-License-Identifier: MIT */
/*
 * multi_search.h - search for many strings at once
 *
 * Each string is found by four of its bytes, chosen so that few strings share them: a place costs one load and one
 * test, however many strings there are.
 */
#ifndef BASE_MULTI_SEARCH_H
#define BASE_MULTI_SEARCH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

#define SEARCH_MIN 4

enum search_kind {
	SEARCH_ANYWHERE = 1 << 0,
	/* letters, digits and '_' next to it make it a part of another word, which is no find */
	SEARCH_WORD = 1 << 1,
	/* as SEARCH_WORD, and a NUL ends it: for short ones, which bytes that are no text hold by chance */
	SEARCH_STRING = 1 << 2,
};

struct search_string {
	const char *p;
	uint32_t len, kind;
	uint32_t key_at;             /* where in it the four bytes are */
	uint32_t next;               /* with the same key: index + 1, 0 ends */
};

struct multi_search {
	struct arena text;
	VEC(struct search_string) list;
	uint32_t *heads;             /* by hash of the key: index + 1 */
	uint32_t *load;              /* strings for each hash */
	size_t longest;
};

/* Strings shorter than SEARCH_MIN are passed over. 0 or -SONDE_NOMEM. */
int multi_search_add(struct multi_search *n, const char *p, size_t len, enum search_kind kind);

/* The first string of any of @kinds in @len bytes, and where; NULL if there is none. What lies beyond
 * the ends is no letter. */
const struct search_string *multi_search_find(const struct multi_search *n, unsigned kinds, const void *p, size_t len,
					      size_t *at);

void multi_search_free(struct multi_search *n);

#endif
