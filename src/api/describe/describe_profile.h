/* SPDX-License-Identifier: MIT */
/* describe_profile.h - the description of a profile that another tool wrote */
#ifndef API_DESCRIBE_DESCRIBE_PROFILE_H
#define API_DESCRIBE_DESCRIBE_PROFILE_H

#include <sonde/describe.h>

#include "base/buf.h"

/* Reads all of it. 0 or negative; the description is that of the samples that make sense. */
int describe_profile(struct sonde_trace *t, struct buf *out, bool json, struct sonde_error *err);

#endif
