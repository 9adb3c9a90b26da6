/* SPDX-License-Identifier: MIT */
/* convert.h - the same trace in another form. */
#ifndef PERFDATA_REWRITE_CONVERT_H
#define PERFDATA_REWRITE_CONVERT_H

#include "model/rewriting.h"

/* See struct rewriter. */
int perfdata_convert(struct sonde_rewrite *handle, struct image *im, const char *out,
		     const struct sonde_convert_opts *opts);

#endif
