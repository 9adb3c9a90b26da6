/* SPDX-License-Identifier: MIT */
/*
 * json_read.h - the objects of a JSON text, one after the other, with the members that are text or numbers
 *
 * For tables that vendors publish: an array of objects. Arrays and objects within an object are passed over. Memory is
 * one row.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/arena.h"
#include "base/json_cursor.h"
#include "base/vec.h"

struct json_member {
	const char *key, *value;     /* a number, true and false as they are written; null: "" */
};

struct json_row {
	VEC(struct json_member) members;
};

struct json_reader {
	struct json_cursor cursor;   /* its place after a failure is that of the failure */
	struct arena *arena;         /* of the texts of a row */
	bool started;
	bool within;                 /* the array is a part of the text, which goes on after it */
};

struct json_reader json_reader(const char *text, size_t size, struct arena *arena);

/* Where the text is an object, the rows are those of its member of that name. */
void json_reader_enter(struct json_reader *r, const char *member);

/* The next object; the caller frees row->members. 1, 0 at the end, -SONDE_CORRUPT or -SONDE_NOMEM. */
int json_read_row(struct json_reader *r, struct json_row *row);

/* The value of a member, whatever the case of its key; NULL if the row has none. */
const char *json_row_get(const struct json_row *row, const char *key);

#endif
