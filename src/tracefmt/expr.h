/* SPDX-License-Identifier: MIT */
/* expr.h - parses the expressions of a print format */
#ifndef TRACEFMT_EXPR_H
#define TRACEFMT_EXPR_H

#include "tracefmt/node.h"

/* Parses one expression at the lexer's token. Returns its number, or NO_NODE after setting reason. */
uint32_t expr_parse(struct exprs *x);

/* For the parser of calls (call.c); each notes a reason when it fails. */
uint32_t expr_unexpected(struct exprs *x, const char *wanted);
bool expr_at(const struct exprs *x, uint32_t op);              /* the current token is this operator */
bool expr_take(struct exprs *x, uint32_t op);                  /* and steps over it; no reason */
bool expr_expect(struct exprs *x, char c);
bool expr_take_string(struct exprs *x, struct sonde_str *out); /* a string, or several that C joins */
bool expr_take_type(struct exprs *x, struct ctype *type); /* a type name and ')'; no reason, nothing taken if not */

#endif
