/* SPDX-License-Identifier: MIT */
#include "tracedat/scan/rules.h"

const struct sonde_check_rule dat_check_rules[NR_DAT_RULES] = {
#define ROW(id, name_, severity_, text_) [DAT_CHECK_##id] = { name_, SONDE_SEVERITY_##severity_, text_ },
	DAT_RULES(ROW)
#undef ROW
};

void dat_found(struct findings *f, enum dat_rule rule, uint64_t at, const char *where, const char *expected, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	findings_add(f, &dat_check_rules[rule], at, where, expected, fmt, ap);
	va_end(ap);
}
