/* SPDX-License-Identifier: MIT */
/* to_tracedat.h - the tracepoints of a perf.data as a trace.dat. */
#ifndef API_CONVERT_TO_TRACEDAT_H
#define API_CONVERT_TO_TRACEDAT_H

#include "model/rewriting.h"

/* Closes the image; @in is the path of the image. */
int cross_to_tracedat(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts);

#endif
