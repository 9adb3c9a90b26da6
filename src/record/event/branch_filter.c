/* SPDX-License-Identifier: MIT */
#include "record/event/branch_filter.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"

#define ANY (UINT64_C(1) << 3)

/* Levels alone say where, and not which branches. */
#define LEVELS UINT64_C(7)

static const struct {
	const char *name;
	uint8_t bit;
} filters[] = {
	{ "u", 0 },          { "k", 1 },           { "hv", 2 },        { "any", 3 },        { "any_call", 4 },
	{ "any_ret", 5 },    { "ind_call", 6 },    { "abort_tx", 7 },  { "in_tx", 8 },      { "no_tx", 9 },
	{ "cond", 10 },      { "call_stack", 11 }, { "ind_jmp", 12 },  { "call", 13 },      { "no_flags", 14 },
	{ "no_cycles", 15 }, { "save_type", 16 },  { "stack", 11 },    { "hw_index", 17 },  { "priv", 18 },
	{ "counter", 19 },
};

bool branch_filter_parse(const char *text, uint64_t *out, const char **bad)
{
	uint64_t bits = 0;

	for (const char *p = text; *p;) {
		size_t len = strcspn(p, ","), i = 0;

		while (i < ARRAY_SIZE(filters) && (strlen(filters[i].name) != len ||
						   strncasecmp(p, filters[i].name, len) != 0))
			i++;
		if (i == ARRAY_SIZE(filters)) {
			*bad = p;
			return false;
		}
		bits |= UINT64_C(1) << filters[i].bit;
		p += len + (p[len] == ',');
	}
	*out |= bits & ~LEVELS ? bits : bits | ANY;
	return true;
}

const char *branch_filter_at(size_t i)
{
	return i < ARRAY_SIZE(filters) ? filters[i].name : NULL;
}
