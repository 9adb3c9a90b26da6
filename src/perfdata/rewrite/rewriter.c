/* SPDX-License-Identifier: MIT */
/* rewriter.c - what this format can be rewritten to */
#include "perfdata/rewrite/rewriter.h"

#include "perfdata/format/header.h"
#include "perfdata/rewrite/convert.h"
#include "perfdata/rewrite/cut.h"
#include "perfdata/rewrite/merge.h"
#include "perfdata/rewrite/missing_data.h"
#include "perfdata/rewrite/repair.h"

const struct rewriter perfdata_rewriter = {
	.probe = header_probe,
	.convert = perfdata_convert,
	.repair = perfdata_repair,
	.open_dangling = perfdata_open_without_data,
	.cut = perfdata_cut,
	.merge = perfdata_merge,
	.merges = "perf.data",
};
