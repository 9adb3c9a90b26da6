/* SPDX-License-Identifier: MIT */
#include "export/page/script_text.h"

#include "base/str.h"

void script_text_put(struct buf *out, struct buf *scratch, const char *s)
{
	struct sonde_str left;

	scratch->n = 0;
	buf_json(scratch, s, strlen(s));
	if (scratch->failed) {
		buf_take_failure(out, scratch);
		return;
	}
	left = (struct sonde_str){ scratch->p, scratch->n };
	for (const char *p; (p = memchr(left.p, '<', left.len));) {
		buf_put(out, left.p, (size_t)(p - left.p));
		buf_str(out, "\\u003c");
		str_skip(&left, (size_t)(p - left.p) + 1);
	}
	buf_put(out, left.p, left.len);
}
