/* SPDX-License-Identifier: MIT */
/* findings.h - where broken rules of a format are told */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include <stdarg.h>

#include <sonde/check.h>

#include "base/err.h"

struct findings {
	sonde_finding_fn fn;         /* NULL: only count */
	void *ctx;
	uint64_t severities[3];
	int stopped;                 /* what fn returned, if not 0 */
};

/* @rule, a row of the format's table, is broken at @at; @f may be NULL. */
void findings_add(struct findings *f, const struct sonde_check_rule *rule, uint64_t at, const char *where, const char *expected,
		  const char *fmt, va_list ap) __attribute__((format(printf, 6, 0)));

static inline bool finds_no_error(const struct findings *f)
{
	return f->severities[SONDE_SEVERITY_ERROR] == 0;
}

static inline bool finds_nothing_wrong(const struct findings *f)
{
	return finds_no_error(f) && f->severities[SONDE_SEVERITY_WARNING] == 0;
}

#endif
