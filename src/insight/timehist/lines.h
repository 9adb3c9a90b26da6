/* SPDX-License-Identifier: MIT */
/*
 * lines.h - the history as perf prints it: docs/sched-differences.md
 *
 * A time that is not known is 0.000 here, as in perf; JSON and CSV tell it apart from a time of 0.
 */
#ifndef INSIGHT_TIMEHIST_LINES_H
#define INSIGHT_TIMEHIST_LINES_H

#include "insight/timehist/state.h"

void lines_text(struct timehist *h, struct buf *out);
void lines_summary(struct timehist *h, struct buf *out);

#endif
