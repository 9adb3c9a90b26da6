/* SPDX-License-Identifier: MIT */
/* repair_header.h - the header of a trace.dat, made from the bytes after it */
#ifndef TRACEDAT_REWRITE_REPAIR_HEADER_H
#define TRACEDAT_REWRITE_REPAIR_HEADER_H

#include "tracedat/rewrite/rewrite.h"

/* F->header of a file whose first bytes cannot be used, from what follows them: 0 or -SONDE_FORMAT. */
int dat_repair_find_header(struct dat_file *f, struct sonde_error *err);
/* How the sections from @at on are compressed: as the first compressed one begins; "none". */
const char *dat_repair_find_compression(struct dat_file *f, uint64_t at);
/* Whether the first bytes are followed by what only a trace.dat has. */
bool dat_repair_looks_like_trace(const uint8_t *p, size_t n);

#endif
