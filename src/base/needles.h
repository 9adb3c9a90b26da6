/* SPDX-License-Identifier: MIT */
/*
 * needles.h - search for many strings at once
 *
 * Each needle is looked for by four of its bytes, chosen so that few needles share them: a look at a place costs one load and one
 * test, however many needles there are.
 */
#ifndef BASE_NEEDLES_H
#define BASE_NEEDLES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

#define NEEDLE_MIN 4

enum needle_kind {
	NEEDLE_ANYWHERE = 1 << 0,
	NEEDLE_WORD = 1 << 1,        /* letters, digits and '_' next to it make it a part of another word, which is no find */
	NEEDLE_STRING = 1 << 2,      /* as NEEDLE_WORD, and a NUL ends it: for short ones, which bytes that are no text hold by chance */
};

struct needle {
	const char *p;
	uint32_t len, kind;
	uint32_t key_at;             /* where in it the four bytes are */
	uint32_t next;               /* with the same key: index + 1, 0 ends */
};

struct needles {
	struct arena text;
	VEC(struct needle) list;
	uint32_t *heads;             /* by hash of the key: index + 1 */
	uint32_t *load;              /* needles for each hash */
	size_t longest;
};

/* Strings shorter than NEEDLE_MIN are passed over. 0 or -SONDE_NOMEM. */
int needles_add(struct needles *n, const char *p, size_t len, enum needle_kind kind);

/* The first needle of any of @kinds in @len bytes, and where; NULL if there is none. What lies beyond the ends is no letter. */
const struct needle *needles_find(const struct needles *n, unsigned kinds, const void *p, size_t len, size_t *at);

void needles_free(struct needles *n);

#endif
