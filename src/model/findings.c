/* SPDX-License-Identifier: MIT */
#include "model/findings.h"

#include <stdio.h>

void findings_add(struct findings *f, const struct sonde_check_rule *rule, uint64_t at, const char *where, const char *expected,
		  const char *fmt, va_list ap)
{
	char text[256];
	struct sonde_finding finding = { .rule = rule, .file_offset = at, .where = where, .expected = expected, .found = text };

	if (!f || f->stopped)
		return;
	f->severities[rule->severity]++;
	if (!f->fn)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	f->stopped = f->fn(f->ctx, &finding);
}
