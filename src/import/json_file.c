/* SPDX-License-Identifier: MIT */
#include "import/json_file.h"

#include "base/str.h"

static void note(struct json_member_at *members, size_t n, struct sonde_str key, const struct json_cursor *value)
{
	for (size_t i = 0; i < n; i++)
		if (!members[i].found && str_is(key, members[i].name)) {
			members[i].found = true;
			members[i].at = *value;
		}
}

int json_find_members(struct json_cursor *c, struct json_member_at *members, size_t n)
{
	struct sonde_str key;
	int r;

	for (size_t i = 0; i < n; i++) {
		members[i].found = false;
		members[i].at = *c;
		members[i].at.failed = true;
	}
	for (r = jcur_first(c, '{'); r > 0; r = jcur_next(c, '}')) {
		if (jcur_key(c, &key) < 0)
			return -SONDE_CORRUPT;
		note(members, n, key, c);
		if (jcur_skip(c) < 0)
			return -SONDE_CORRUPT;
	}
	return r;
}

bool json_begins_with_member(const char *text, size_t size, const char *name)
{
	struct buf unescaped = BUF_MEMORY;
	struct json_cursor c = jcur_new(text, size, &unescaped, NULL);
	struct json_member_at member = { .name = name };

	json_find_members(&c, &member, 1);
	buf_free(&unescaped);
	return member.found;
}
