/* SPDX-License-Identifier: MIT */
/* script_text.h - JSON inside of a script element of a page */
#ifndef EXPORT_PAGE_SCRIPT_TEXT_H
#define EXPORT_PAGE_SCRIPT_TEXT_H

#include "base/buf.h"

/*
 * Puts a JSON string in which '<' is escaped, because it could end the element or begin a comment. @scratch: a buffer
 * in memory for the call.
 */
void script_text_put(struct buf *out, struct buf *scratch, const char *s);

/* Puts the comma between value i of a list and the one before. */
static inline void script_text_comma(struct buf *out, size_t i)
{
	if (i > 0)
		buf_char(out, ',');
}

#endif
