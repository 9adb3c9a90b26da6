/* SPDX-License-Identifier: MIT */
/* missing_symbols.h - the binaries whose symbols a profile lacks */
#ifndef ANALYZE_NEEDS_MISSING_SYMBOLS_H
#define ANALYZE_NEEDS_MISSING_SYMBOLS_H

#include "analyze/tables/profile.h"

/* Where names are missing; false, and @out as it was, if no user code was interrupted without one. */
bool profile_nameless(const struct sonde_profile *p, struct sonde_profile_nameless *out);

/* Makes p->found.dso_notes anew. 0 or -SONDE_NOMEM. */
int profile_dso_notes(struct sonde_profile *p);

#endif
