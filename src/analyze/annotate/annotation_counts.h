/* SPDX-License-Identifier: MIT */
/* annotation_counts.h - the function to annotate, and its samples by their place in it */
#ifndef ANALYZE_ANNOTATE_ANNOTATION_COUNTS_H
#define ANALYZE_ANNOTATE_ANNOTATION_COUNTS_H

#include <sonde/annotate.h>

#include "analyze/tables/annotated_functions.h"

/* The samples of an event at a place. */
struct offset_count {
	uint64_t offset;             /* from the start of the function */
	uint32_t event;              /* number among those that are annotated */
	struct sonde_annotation_count;
};

struct annotation_counts {
	VEC(uint32_t) events;        /* numbers in the profile */
	struct annotated_function function;
	VEC(struct offset_count) list;       /* by offset, then by event; each once */
	VEC(struct sonde_annotation_count) totals;   /* of the function, by event */
};

/*
 * Chooses the function that the options name and counts its samples. 0; -SONDE_MISSING: there is none; -SONDE_USAGE,
 * -SONDE_NOMEM. To be freed in either case.
 */
int annotation_counts_make(struct annotation_counts *c, struct sonde_profile *p,
			   const struct sonde_annotate_opts *opts, struct sonde_error *err);
void annotation_counts_free(struct annotation_counts *c);

#endif
