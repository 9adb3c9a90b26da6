/* SPDX-License-Identifier: MIT */
/*
 * locations.h - the places of stacks, as pprof and OTLP have them: a function, and all that was inlined there
 *
 * A stack of a profile has a frame for each inlined function, below the frame that it was inlined into. Such a row of
 * frames is one location here, a list of lines.
 */
#ifndef EXPORT_LOCATIONS_H
#define EXPORT_LOCATIONS_H

#include "analyze/tables/profile.h"

#define NO_LOCATION UINT32_MAX

struct location {
	uint32_t frame;              /* the innermost function */
	uint32_t into;               /* the location without it; NO_LOCATION: the function is not inlined */
};

struct locations {
	const struct sonde_profile *p;
	VEC(struct location) list;
	uint32_t *of_stack;          /* by stack: the location that ends with its frame */
	struct u64map index;         /* frame << 32 | into: number */
	VEC(uint64_t) path;          /* of the cell asked for last */
};

/* 0 or -SONDE_NOMEM. To be freed in either case. */
int locations_make(struct locations *l, const struct sonde_profile *p);

/*
 * Sets path to the locations of a cell, the innermost first: each its number and 1. A cell without a stack has one: its
 * function. 0 or -SONDE_NOMEM.
 */
int locations_of_cell(struct locations *l, const struct sonde_profile_cell *cell);

void locations_free(struct locations *l);

#endif
