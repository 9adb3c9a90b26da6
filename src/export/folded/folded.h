/* SPDX-License-Identifier: MIT */
/* folded.h - one line for each stack with its count, for flame graphs: comm;outer;...;inner 42 */
#ifndef EXPORT_FOLDED_FOLDED_H
#define EXPORT_FOLDED_FOLDED_H

#include "export/export.h"

/* Writes the profile to x->out: 1, 0 if there is nothing to write, or negative. */
int export_folded(struct export *x);

#endif
