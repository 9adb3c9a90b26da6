/* SPDX-License-Identifier: MIT */
/* build_id_text.h - the build id of a binary as text */
#ifndef EXPORT_BUILD_ID_TEXT_H
#define EXPORT_BUILD_ID_TEXT_H

#include <stdio.h>

#include "threads/mapping.h"

struct build_id_text { char s[2 * sizeof(((struct binary *)0)->build_id) + 1]; };

/* In lower-case hexadecimal; "" if it is not known. */
static inline struct build_id_text build_id_text(const struct binary *b)
{
	struct build_id_text text = { "" };

	for (size_t i = 0; i < b->build_id_size; i++)
		snprintf(text.s + 2 * i, 3, "%02x", b->build_id[i]);
	return text;
}

#endif
