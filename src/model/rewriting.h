/* SPDX-License-Identifier: MIT */
/*
 * rewriting.h - what a format that can be rewritten gives: one row of functions
 *
 * A rewriting reads an image as it lies on disk, sound or not, and writes a new file that gets its name once it is whole.
 */
#ifndef MODEL_REWRITING_H
#define MODEL_REWRITING_H

#include <sonde/rewrite.h>

#include "model/image.h"
#include "model/ledger.h"

struct sonde_rewrite {
	struct sonde_error err;
	struct ledger ledger;
	struct sonde_rewrite_counts counts;
};

/* Each takes the image over; @opts has all of its fields. */
struct rewriter {
	bool (*probe)(const uint8_t *p, size_t n);
	int (*convert)(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_convert_opts *opts);
	int (*repair)(struct sonde_rewrite *handle, struct image *im, const char *out);
};

#endif
