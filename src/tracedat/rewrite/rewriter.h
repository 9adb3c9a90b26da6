/* SPDX-License-Identifier: MIT */
/* rewriter.h - the functions that rewrite a trace.dat, as one row */
#ifndef TRACEDAT_REWRITE_REWRITER_H
#define TRACEDAT_REWRITE_REWRITER_H

#include "model/rewriting.h"

extern const struct rewriter dat_rewriter;

#endif
