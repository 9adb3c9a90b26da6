/* SPDX-License-Identifier: MIT */
/* strpool.h - equal strings are one pointer: names are compared and hashed as integers from here on. */
#ifndef BASE_STRPOOL_H
#define BASE_STRPOOL_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

struct strpool {
	struct arena text;
	VEC(const char *) names;     /* by number, 0 is "" */
	struct hash_index index;     /* of names, by text */
};

/* The number of a string, the same for equal strings; UINT32_MAX when out of memory. Stops at @len or at a NUL. */
uint32_t strpool_add(struct strpool *p, const char *s, size_t len);

/* The same without adding it; UINT32_MAX if it is not there. */
uint32_t strpool_find(struct strpool *p, const char *s, size_t len);

/* NUL-terminated, as long as the pool lives. */
static inline const char *strpool_get(const struct strpool *p, uint32_t number)
{
	return p->names.at[number];
}

void strpool_free(struct strpool *p);

#endif
