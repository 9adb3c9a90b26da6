/* SPDX-License-Identifier: MIT */
/*
 * vec.h - growable arrays
 *
 *	VEC(struct run) runs = { 0 };
 *	if (vec_push(&runs, run) < 0) ...     -SONDE_NOMEM
 *	for (size_t i = 0; i < runs.n; i++) use(&runs.at[i]);
 *	vec_free(&runs);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define VEC(T) struct { T *at; size_t n, cap; }

/* Makes room for `extra` more elements; 0 or -SONDE_NOMEM. */
#define vec_reserve(v, extra) vec_grow((void **)&(v)->at, &(v)->cap, (v)->n, (extra), sizeof(*(v)->at))

#define vec_push(v, x) ((v)->n == (v)->cap && vec_reserve(v, 1) < 0 ? -SONDE_NOMEM : ((v)->at[(v)->n++] = (x), 0))

#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

int vec_grow(void **at, size_t *cap, size_t n, size_t extra, size_t size);

#endif
