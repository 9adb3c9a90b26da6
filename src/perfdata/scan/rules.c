/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/rules.h"

const struct sonde_check_rule check_rules[NR_CHECK_RULES] = {
#define ROW(id, name_, severity_, text_) [CHECK_##id] = { name_, SONDE_SEVERITY_##severity_, text_ },
	RULES(ROW)
#undef ROW
};

void found(struct findings *f, enum check_rule rule, uint64_t at, const char *where, const char *expected, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	findings_add(f, &check_rules[rule], at, where, expected, fmt, ap);
	va_end(ap);
}
