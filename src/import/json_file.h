/* SPDX-License-Identifier: MIT */
/* json_file.h - what importers of JSON share: members by name, and the recognition of a file by its members */
#ifndef IMPORT_JSON_FILE_H
#define IMPORT_JSON_FILE_H

#include "base/json_cursor.h"

/* A member to find: `at` is at its value, or has failed if the object has none. */
struct json_member_at {
	const char *name;
	struct json_cursor at;
	bool found;
};

/*
 * Steps over an object, and notes where members are. 0 or negative: the members before the failure are noted. Of two
 * of a name it is the first.
 */
int json_find_members(struct json_cursor *c, struct json_member_at *members, size_t n);

/* Whether a text begins as an object, with such a member before its end. */
bool json_begins_with_member(const char *text, size_t size, const char *name);

#endif
