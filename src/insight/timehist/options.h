/* SPDX-License-Identifier: MIT */
/* options.h - the options of the history */
#ifndef INSIGHT_TIMEHIST_OPTIONS_H
#define INSIGHT_TIMEHIST_OPTIONS_H

#include "insight/timehist/state.h"

extern const struct sonde_analysis_option timehist_options[];

/* Sets one in a struct timehist: see analysis_ops.set(). */
int timehist_set(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err);

#endif
