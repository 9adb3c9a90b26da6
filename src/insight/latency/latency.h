/* SPDX-License-Identifier: MIT */
/* latency.h - `sched latency`: how late each task came to a CPU after it could have run */
#ifndef INSIGHT_LATENCY_LATENCY_H
#define INSIGHT_LATENCY_LATENCY_H

#include "insight/base/analysis.h"

extern const struct analysis_ops latency_analysis;

#endif
