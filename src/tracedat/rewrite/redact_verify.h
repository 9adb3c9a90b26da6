/* SPDX-License-Identifier: MIT */
/* redact_verify.h - a last look at what was redacted */
#ifndef TRACEDAT_REWRITE_REDACT_VERIFY_H
#define TRACEDAT_REWRITE_REDACT_VERIFY_H

#include "base/err.h"
#include "base/multi_search.h"

/**
 * dat_redact_verify - looks for everything that was replaced in the trace.dat at @path
 * Returns 0 if none of it is there, -SONDE_CORRUPT and where it was found otherwise.
 */
int dat_redact_verify(const struct multi_search *removed, const char *path, struct sonde_error *err);

#endif
