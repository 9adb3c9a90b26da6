/* SPDX-License-Identifier: MIT */
#include "resolve/source_names.h"

#include <string.h>

#include "symbol/table/demangle.h"

void source_names_free(struct source_names *n)
{
	u64map_free(&n->of_raw);
	strpool_free(&n->shown);
}

static uint32_t add(struct source_names *n, const char *raw)
{
	struct buf text = BUF_MEMORY;
	uint32_t number;

	if (!raw)
		return strpool_add(&n->shown, "??", 2);
	if (!n->no_demangle && demangle(&text, raw) && !text.failed)
		number = strpool_add(&n->shown, text.p, text.n);
	else
		number = strpool_add(&n->shown, raw, strlen(raw));
	buf_free(&text);
	return number;
}

const char *source_names_get(struct source_names *n, const char *raw)
{
	uint32_t number = u64map_get(&n->of_raw, (uintptr_t)raw);

	if (number != U64MAP_NONE)
		return strpool_get(&n->shown, number);
	number = add(n, raw);
	if (number == UINT32_MAX || u64map_set(&n->of_raw, (uintptr_t)raw, number) < 0)
		return NULL;
	return strpool_get(&n->shown, number);
}
