/* SPDX-License-Identifier: MIT */
/* annotation_changes.h - code of the kernel as it was when most samples were taken */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_CHANGES_H
#define ANALYZE_ANNOTATE_ANNOTATION_CHANGES_H

#include "analyze/annotate/annotation.h"

/* Applies the changes that the recording tells to the code that was found. 0 or -SONDE_NOMEM. */
int annotation_changes_apply(struct sonde_annotation *a);

#endif
