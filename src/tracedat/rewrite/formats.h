/* SPDX-License-Identifier: MIT */
/* formats.h - the formats of the events in a file that is rewritten */
#ifndef TRACEDAT_REWRITE_FORMATS_H
#define TRACEDAT_REWRITE_FORMATS_H

#include "tracedat/rewrite/rewrite.h"
#include "tracefmt/tracefmt.h"

/* Reads formats and names of tasks; sections that are missing leave them out. The caller frees *out, in any case. */
int dat_rewrite_formats(struct dat_rewrite *w, struct tracefmt **out);

#endif
