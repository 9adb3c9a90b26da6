/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/swapper.h"

#include "perfdata/format/attr.h"

/* Through the struct: its flags are bit-fields, whose order is another matter than that of bytes. */
const char *swap_attr(uint8_t *p, size_t n, bool swap)
{
	uint8_t room[ATTR_SIZE_KNOWN] = { 0 };
	size_t known = n < sizeof(room) ? n : sizeof(room);
	struct sonde_attr attr;

	memcpy(room, p, known);
	attr_load(room, swap, &attr);
	attr_store(room, &attr, !swap);
	memcpy(p, room, known);
	for (size_t i = known; i < n; i++)
		if (p[i])
			return "fields of attrs that are not known";
	return NULL;
}
