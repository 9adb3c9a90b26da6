/* SPDX-License-Identifier: MIT */
/* annotation_cycles.h - cycles of the basic blocks of a function, at the branches that end them */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_CYCLES_H
#define ANALYZE_ANNOTATE_ANNOTATION_CYCLES_H

#include "analyze/annotate/annotation.h"

/* Gives rows the cycles of the blocks that they end, and the function its IPC. After the rows. 0 or -SONDE_NOMEM. */
int annotation_cycles_make(struct sonde_annotation *a);

#endif
