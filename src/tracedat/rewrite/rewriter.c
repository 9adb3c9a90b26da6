/* SPDX-License-Identifier: MIT */
/* rewriter.c - the row of this format's rewrite functions */
#include "tracedat/rewrite/convert.h"
#include "tracedat/rewrite/cut.h"
#include "tracedat/rewrite/merge.h"
#include "tracedat/rewrite/repair.h"
#include "tracedat/rewrite/repair_header.h"
#include "tracedat/rewrite/rewriter.h"

const struct rewriter dat_rewriter = {
	.probe = dat_repair_looks_like_trace, .convert = dat_convert, .cut = dat_cut,
	.repair = dat_repair, .merge = dat_merge, .merges = "trace.dat",
};
