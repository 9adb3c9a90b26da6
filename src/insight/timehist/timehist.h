/* SPDX-License-Identifier: MIT */
/* timehist.h - `sched timehist`: a line for each switch, about the task that leaves; and sums of them */
#ifndef INSIGHT_TIMEHIST_TIMEHIST_H
#define INSIGHT_TIMEHIST_TIMEHIST_H

#include "insight/base/analysis.h"

extern const struct analysis_ops timehist_analysis;

#endif
