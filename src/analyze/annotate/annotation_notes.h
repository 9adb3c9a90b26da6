/* SPDX-License-Identifier: MIT */
/* annotation_notes.h - reasons to doubt an annotation, as sentences */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_NOTES_H
#define ANALYZE_ANNOTATE_ANNOTATION_NOTES_H

#include "base/vec.h"

struct annotation_notes { VEC(char *) list; };

/* Adds a sentence, once. 0 or -SONDE_NOMEM. */
int annotation_notes_add(struct annotation_notes *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void annotation_notes_free(struct annotation_notes *n);

#endif
