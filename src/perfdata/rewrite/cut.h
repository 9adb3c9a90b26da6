/* SPDX-License-Identifier: MIT */
/* cut.h - a smaller perf.data, with all that its samples need. */
#ifndef PERFDATA_REWRITE_CUT_H
#define PERFDATA_REWRITE_CUT_H

#include "model/rewriting.h"

/* See struct rewriter. */
int perfdata_cut(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts);

#endif
