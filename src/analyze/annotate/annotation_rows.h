/* SPDX-License-Identifier: MIT */
/* annotation_rows.h - code becomes the rows of an annotation */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_ROWS_H
#define ANALYZE_ANNOTATE_ANNOTATION_ROWS_H

#include "analyze/annotate/annotation.h"

/* Takes the code of the annotation apart. 0 or negative. */
int annotation_rows_make(struct sonde_annotation *a, struct sonde_error *err);

/* The instruction that begins at an address: its row, or NO_ANNOTATION_ROW. */
uint32_t annotation_row_at(const struct sonde_annotation *a, uint64_t addr);

#endif
