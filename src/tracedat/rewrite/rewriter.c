/* SPDX-License-Identifier: MIT */
/* rewriter.c - what this format can be rewritten to */
#include "tracedat/rewrite/merge.h"
#include "tracedat/rewrite/repair.h"

const struct rewriter tracedat_rewriter = {
	.probe = repair_looks_like_trace, .convert = tracedat_convert, .cut = tracedat_cut,
	.repair = tracedat_repair, .merge = tracedat_merge, .merges = "trace.dat",
};
