/* SPDX-License-Identifier: MIT */
/* to_chains.h - a perf.data whose copies of stacks became callchains */
#ifndef API_CONVERT_TO_CHAINS_H
#define API_CONVERT_TO_CHAINS_H

#include "model/rewriting.h"

/* Closes the image; @in is the path of the image. */
int convert_to_chains(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts);

#endif
