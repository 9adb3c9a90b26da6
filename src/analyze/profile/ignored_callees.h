/* SPDX-License-Identifier: MIT */
/* ignored_callees.h - stacks that end at a function, as if its callees were a part of it */
#ifndef ANALYZE_PROFILE_IGNORED_CALLEES_H
#define ANALYZE_PROFILE_IGNORED_CALLEES_H

#include "analyze/profile/gathering.h"

/* See sonde_profile_ignore_callees(). 0, -SONDE_USAGE with the error in @p, or -SONDE_NOMEM. */
int ignored_callees_cut(struct gathering *p, const char *expression);

#endif
