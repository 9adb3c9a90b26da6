/* SPDX-License-Identifier: MIT */
/* profile_heads.h - samples by the few fields that decide where they are counted, many at once */
#ifndef ANALYZE_PROFILE_PROFILE_HEADS_H
#define ANALYZE_PROFILE_PROFILE_HEADS_H

#include "analyze/profile/gathering.h"

/*
 * In place of profile_event() for each sample, while counting_takes_heads(). Their events have numbers: see
 * profile_evsel(). @r: their reader, until the trace ends. 0 or -SONDE_NOMEM
 */
int profile_heads(struct gathering *p, const struct reader *r, const struct sample_head *heads, size_t n);

#endif
