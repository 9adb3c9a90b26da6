/* SPDX-License-Identifier: MIT */
/* to_perfdata.h - the events of a trace.dat as a perf.data. */
#ifndef API_CONVERT_TO_PERFDATA_H
#define API_CONVERT_TO_PERFDATA_H

#include "model/rewriting.h"

/* Closes the image; @in is the path of the image. */
int cross_to_perfdata(struct sonde_rewrite *handle, struct image *im, const char *in, const char *out,
		      const struct sonde_convert_opts *opts);

#endif
