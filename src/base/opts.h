/* SPDX-License-Identifier: MIT */
/*
 * opts.h - structs that a program fills or has filled, whose first member is their size in the program's build
 *
 * The program may have been built with the headers of another version. Members that its struct lacks read as 0 (OPT);
 * members that this library lacks must be 0.
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include "base/bytes.h"
#include "base/err.h"

/**
 * OPTS_CHECK - can all be done that @opts, a struct TYPE or NULL, asks for?
 * Every public function that takes one begins with this. Returns 0, or -SONDE_USAGE: the size is not set, or a byte
 * beyond the members that this library knows is not 0.
 */
#define OPTS_CHECK(type, opts, err) \
	opts_check(1 ? (opts) : (const struct type *)NULL, sizeof(struct type), "struct " #type, err)

int opts_check(const void *opts, size_t known, const char *name, struct sonde_error *err);

/* The same, and a copy in which the members that the program's struct lacks are 0. NULL: all are 0. */
#define OPTS_TAKE(type, to, opts, err) \
	opts_take(1 ? (to) : (struct type *)NULL, sizeof(struct type), opts, (opts) ? (opts)->sz : 0, "struct " #type, \
		  err)

/* The same of a struct without sz, whose size the call gives; NULL: all members are 0. */
int opts_take(void *to, size_t known, const void *from, size_t size, const char *name, struct sonde_error *err);

/*
 * Copies the result of a call to a struct of the program's version; members that this library lacks become 0. @to may
 * be NULL.
 */
void opts_give(void *to, const void *from, size_t known);

#endif
