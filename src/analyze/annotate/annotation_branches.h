/* SPDX-License-Identifier: MIT */
/* annotation_branches.h - where runs of code began and ended in a function, from branch stacks */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_BRANCHES_H
#define ANALYZE_ANNOTATE_ANNOTATION_BRANCHES_H

#include "analyze/annotate/annotation.h"

/* Gives rows their shares of the basic blocks of the function. After the rows. 0 or -SONDE_NOMEM. */
int annotation_branches_make(struct sonde_annotation *a);

#endif
