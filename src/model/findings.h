/* SPDX-License-Identifier: MIT */
/*
 * findings.h - broken rules of a format, told to whoever asks
 *
 * A format lists its rules in a macro, one ROW(id, name, severity, text) each. Two macros read the list: ROW of the
 * format makes the enum of the ids, CHECK_RULE makes the table of struct sonde_check_rule.
 */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include <sonde/check.h>

#include "base/err.h"

struct findings {
	sonde_finding_fn fn;         /* NULL: only count */
	void *ctx;
	uint64_t severities[3];
	int stopped;                 /* what fn returned, if not 0 */
};

#define CHECK_RULE(id, name, severity, text) { name, SONDE_SEVERITY_##severity, text },

/* Rule @rule is broken at @at; @f may be NULL. */
void findings_add(struct findings *f, const struct sonde_check_rule *rule, uint64_t at, const char *where,
		  const char *expected, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

static inline bool finds_no_error(const struct findings *f)
{
	return f->severities[SONDE_SEVERITY_ERROR] == 0;
}

static inline bool finds_nothing_wrong(const struct findings *f)
{
	return finds_no_error(f) && f->severities[SONDE_SEVERITY_WARNING] == 0;
}

#endif
