/* SPDX-License-Identifier: MIT */
/*
 * json_read.h - the objects of a JSON text, one after the other, with the members that are text or numbers
 *
 * For tables that vendors publish: an array of objects. Arrays and objects within an object are passed over.
 * By hand, since no more of JSON is needed: memory is one row, and the text may be hostile.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"

struct json_member {
	const char *key, *value;     /* a number, true and false as they are written; null: "" */
};

struct json_row {
	VEC(struct json_member) members;
};

struct json_reader {
	const char *begin, *p, *end;
	struct arena *arena;         /* of the texts of a row */
	bool started;
	bool within;                 /* set by the caller: the array is a part of the text, which goes on after it */
};

struct json_reader json_reader(const char *text, size_t size, struct arena *arena);

/* The next object; the caller frees row->members. 1, 0 at the end, -SONDE_CORRUPT (at r->p) or -SONDE_NOMEM. */
int json_read_row(struct json_reader *r, struct json_row *row);

/* The value of a member, whatever the case of its key; NULL if the row has none. */
const char *json_row_get(const struct json_row *row, const char *key);

#endif
