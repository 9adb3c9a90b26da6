/* SPDX-License-Identifier: MIT */
/*
 * annotated.h - annotations of functions as one page that needs no network and runs no script
 *
 * web/annotate.html is the fixed part. Jumps are links to the instruction that they go to.
 */
#ifndef EXPORT_PAGE_ANNOTATED_H
#define EXPORT_PAGE_ANNOTATED_H

#include "analyze/annotate/annotation.h"

/* Writes the page. 0 or the failure of @b. Text may hold any bytes: names in a trace are hostile. */
int annotated_write(struct buf *b, struct sonde_annotation *const *list, size_t n);

#endif
