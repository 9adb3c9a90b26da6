/* SPDX-License-Identifier: MIT */
/*
 * columns.h - columns of numbers in a page, packed
 *
 * All columns of a page lie one after the other in one stream of zlib, written as base64. A column is its values less
 * the smallest one, in as many bytes as the largest one needs, all lowest bytes first: bytes of one kind side by side
 * pack best. The row of a column in the JSON has its name, length, bytes of a value and smallest value.
 */
#ifndef EXPORT_PAGE_COLUMNS_H
#define EXPORT_PAGE_COLUMNS_H

#include "base/buf.h"
#include "base/vec.h"

struct columns {
	VEC(uint64_t) values;     /* of the column under construction */
	struct buf bytes;         /* BUF_MEMORY at first */
	int failed;
};

/* Adds a value to the column under construction. */
static inline void columns_put(struct columns *c, uint64_t value)
{
	if (vec_push(&c->values, value) < 0)
		c->failed = -SONDE_NOMEM;
}

/* Ends the column, and writes its row to @json: ["NAME",LENGTH,BYTES,SMALLEST] */
void columns_end(struct columns *c, const char *name, struct buf *json);

/* Writes all columns to @out. 0, -SONDE_NOMEM, or the failure of @out. */
int columns_write(struct columns *c, struct buf *out);

void columns_free(struct columns *c);

#endif
