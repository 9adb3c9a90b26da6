/* SPDX-License-Identifier: MIT */
/* analyses.h - the list of analyses */
#ifndef INSIGHT_ANALYSES_H
#define INSIGHT_ANALYSES_H

#include "insight/base/analysis.h"

/* The i-th analysis, NULL beyond the last. */
const struct analysis_ops *analysis_at(size_t i);

#endif
