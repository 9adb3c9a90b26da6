/* SPDX-License-Identifier: MIT */
/* cut.h - a part of a trace.dat; see struct rewriter */
#ifndef TRACEDAT_REWRITE_CUT_H
#define TRACEDAT_REWRITE_CUT_H

#include "model/rewriting.h"

int dat_cut(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts);

#endif
