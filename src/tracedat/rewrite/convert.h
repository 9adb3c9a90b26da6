/* SPDX-License-Identifier: MIT */
/* convert.h - a trace.dat in another version or compression; see struct rewriter */
#ifndef TRACEDAT_REWRITE_CONVERT_H
#define TRACEDAT_REWRITE_CONVERT_H

#include "model/rewriting.h"

int dat_convert(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_convert_opts *opts);

#endif
