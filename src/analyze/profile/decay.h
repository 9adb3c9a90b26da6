/* SPDX-License-Identifier: MIT */
/* decay.h - old samples of a profile count less and less, and at last not at all */
#ifndef ANALYZE_PROFILE_DECAY_H
#define ANALYZE_PROFILE_DECAY_H

#include "analyze/profile/gathering.h"

/* Keeps @eighths eighths of all numbers. 0 or -SONDE_NOMEM. */
int profile_decay(struct gathering *p, uint32_t eighths);

#endif
