/* SPDX-License-Identifier: MIT */
/* redact_option.h - what becomes of each option of a trace.dat that is redacted */
#ifndef TRACEDAT_REWRITE_REDACT_OPTION_H
#define TRACEDAT_REWRITE_REDACT_OPTION_H

#include "tracedat/rewrite/redact.h"

/* Changes the options of all parts, and leaves out those that are not known: 0 or negative. */
int dat_redact_options(struct dat_redact *r);

/* The other name of a buffer, which lives as long as the file; "", the top buffer, has none. NULL: out of memory. */
const char *dat_redact_buffer(struct dat_redact *r, const char *name, size_t len);

#endif
