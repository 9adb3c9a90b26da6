/* SPDX-License-Identifier: MIT */
/* repair.h - a sound trace.dat from a damaged one; see struct rewriter */
#ifndef TRACEDAT_REWRITE_REPAIR_H
#define TRACEDAT_REWRITE_REPAIR_H

#include "model/rewriting.h"

int dat_repair(struct sonde_rewrite *handle, struct image *im, const char *out);

#endif
