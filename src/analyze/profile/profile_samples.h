/* SPDX-License-Identifier: MIT */
/* profile_samples.h - takes one sample of a trace into a profile */
#ifndef ANALYZE_PROFILE_PROFILE_SAMPLES_H
#define ANALYZE_PROFILE_PROFILE_SAMPLES_H

#include "analyze/profile/gathering.h"

/* Counts a sample, or adds it to the batch whose threads count it. @meta: of its trace. 0 or -SONDE_NOMEM. */
int profile_sample_take(struct gathering *p, const struct sonde_event *ev, const struct meta *meta);

#endif
