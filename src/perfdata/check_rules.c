/* SPDX-License-Identifier: MIT */
#include "perfdata/check_rules.h"

#include <stdarg.h>
#include <stdio.h>

const struct sonde_check_rule check_rules[NR_CHECK_RULES] = {
#define ROW(id, name_, severity_, text_) [CHECK_##id] = { name_, SONDE_SEVERITY_##severity_, text_ },
	RULES(ROW)
#undef ROW
};

void found(struct findings *f, enum check_rule rule, uint64_t at, const char *where, const char *expected, const char *fmt, ...)
{
	char text[256];
	struct sonde_finding finding = { .rule = &check_rules[rule], .file_offset = at, .where = where, .expected = expected,
					 .found = text };
	va_list ap;

	if (!f || f->stopped)
		return;
	f->severities[check_rules[rule].severity]++;
	if (!f->fn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->stopped = f->fn(f->ctx, &finding);
}
