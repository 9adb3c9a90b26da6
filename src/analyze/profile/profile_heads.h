/* SPDX-License-Identifier: MIT */
/* profile_heads.h - samples by the few fields that decide where they are counted, many at once */
#ifndef ANALYZE_PROFILE_PROFILE_HEADS_H
#define ANALYZE_PROFILE_PROFILE_HEADS_H

#include "analyze/profile/gathering.h"

/*
 * Whether the heads of samples of the trace at hand are enough. While no jitdump is mapped, profile_heads() can take
 * them then instead of profile_event(). Their events have numbers: see profile_evsel(). 0 or -SONDE_NOMEM. @r: their
 * reader, until the trace ends.
 */
bool profile_takes_heads(const struct gathering *p);
int profile_heads(struct gathering *p, const struct reader *r, const struct sample_head *heads, size_t n);

#endif
