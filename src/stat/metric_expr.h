/* SPDX-License-Identifier: MIT */
/*
 * metric_expr.h - the expressions of metrics in perf's JSON files of events
 *
 * Numbers, names of events, + - * / %, < >, & | ^, `A if B else C`, min(), max(), d_ratio(), has_event(),
 * source_count() and literals as #num_cpus. In a name, \ escapes a character that would end it, and @ stands for /.
 */
#ifndef STAT_METRIC_EXPR_H
#define STAT_METRIC_EXPR_H

#include <stdbool.h>

enum { METRIC_NAME_BYTES = 512 };

/* The values of names in an expression. NAN: not known. Both branches of an `if` are evaluated. */
struct metric_env {
	double (*value)(void *ctx, const char *name);      /* of an event or another metric */
	bool (*has)(void *ctx, const char *name);          /* whether the machine has the event */
	double (*literal)(void *ctx, const char *name);    /* "num_cpus" */
	void *ctx;
};

/*
 * false if the expression is none; *bad is then the place at which it is wrong. Division by 0 gives NAN. To be called
 * in the plain locale.
 */
bool metric_eval(const char *expr, const struct metric_env *env, double *out, const char **bad);

#endif
