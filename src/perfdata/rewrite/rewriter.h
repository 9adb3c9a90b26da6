/* SPDX-License-Identifier: MIT */
/* rewriter.h - what this format can be rewritten to */
#ifndef PERFDATA_REWRITE_REWRITER_H
#define PERFDATA_REWRITE_REWRITER_H

#include "model/rewriting.h"

extern const struct rewriter perfdata_rewriter;

#endif
