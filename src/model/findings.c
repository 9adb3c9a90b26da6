/* SPDX-License-Identifier: MIT */
#include "model/findings.h"

#include <stdarg.h>
#include <stdio.h>

void findings_add(struct findings *f, const struct sonde_check_rule *rule, uint64_t at, const char *where,
		  const char *expected, const char *fmt, ...)
{
	char text[256];
	struct sonde_finding finding = {
		.rule = rule, .file_offset = at, .where = where, .expected = expected, .found = text
	};
	va_list ap;

	if (!f || f->stopped)
		return;
	f->severities[rule->severity]++;
	if (!f->fn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->stopped = f->fn(f->ctx, &finding);
}
