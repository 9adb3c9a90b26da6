/* SPDX-License-Identifier: MIT */
#include "export/fleet/texts.h"

#include <string.h>

#include "base/safe_text.h"

const char *fleet_text(struct fleet_texts *t, const char *text)
{
	uint32_t number;

	t->room.n = 0;
	buf_utf8(&t->room, text, strlen(text));
	number = t->room.failed ? UINT32_MAX : strpool_add(&t->pool, t->room.n ? t->room.p : "", t->room.n);
	return number == UINT32_MAX ? NULL : strpool_get(&t->pool, number);
}

void fleet_texts_free(struct fleet_texts *t)
{
	strpool_free(&t->pool);
	buf_free(&t->room);
}
