/* SPDX-License-Identifier: MIT */
/* functions.h - functions, their binaries and lines as keys of a report: their numbers, order and text */
#ifndef EXPORT_REPORT_FUNCTIONS_H
#define EXPORT_REPORT_FUNCTIONS_H

#include "analyze/rows/stack_tree.h"
#include "base/buf.h"

/* The number that tells functions apart; functions of one name in two binaries are different ones. */
uint64_t function_symbol_of(const struct stack_tree *f, uint32_t frame);
uint64_t function_dso_of(const struct stack_tree *f, uint32_t frame);
uint64_t function_srcline_of(const struct stack_tree *f, uint32_t frame);

/* The order of two functions, negative: a first. Functions without a name, or without a binary, come last. */
int function_order_symbols(const struct sonde_profile *p, uint32_t a, uint32_t b);
int function_order_dsos(const struct sonde_profile *p, uint32_t a, uint32_t b);

/* "[.] main", an address outside known functions with all digits; "libc.so.6" */
void function_put_symbol(struct buf *b, const struct sonde_profile *p, uint32_t frame);
void function_put_dso(struct buf *b, const struct sonde_profile *p, uint32_t frame);

#endif
