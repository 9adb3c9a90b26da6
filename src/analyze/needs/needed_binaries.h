/* SPDX-License-Identifier: MIT */
/* needed_binaries.h - the binaries of a profile: how many samples need each, and what is known of it here */
#ifndef ANALYZE_NEEDS_NEEDED_BINARIES_H
#define ANALYZE_NEEDS_NEEDED_BINARIES_H

#include "analyze/tables/profile.h"

/* Makes p->found.binaries anew; all: also of those without samples. 0 or -SONDE_NOMEM. */
int profile_binaries(struct sonde_profile *p, bool all);

#endif
