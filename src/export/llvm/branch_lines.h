/* SPDX-License-Identifier: MIT */
/* branch_lines.h - how often the lines of a program ran and what they called, from its branch stacks */
#ifndef EXPORT_LLVM_BRANCH_LINES_H
#define EXPORT_LLVM_BRANCH_LINES_H

#include "export/llvm/line_counts.h"

/*
 * Adds the lines of the blocks of code that branch stacks show, and the calls: a branch to the begin of another
 * function. 0 or -SONDE_NOMEM.
 */
int branch_lines_add(struct line_counts *c, const struct export *x, uint32_t event);

#endif
