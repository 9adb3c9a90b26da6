/* SPDX-License-Identifier: MIT */
/* metadata.h - event formats, symbols and names of a trace, and its sources */
#ifndef TRACEDAT_READ_METADATA_H
#define TRACEDAT_READ_METADATA_H

#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"

/* The metadata that both versions have, at @c in @b. Metadata that is damaged is a row in the ledger;
 * negative: no memory, or a kernel too old to be read. */
int dat_metadata_read(struct tracedat *f, enum section_id id, const struct view *b, struct cursor *c,
		      struct sonde_error *err);
/* The sources, once all formats and buffers are known. */
int dat_metadata_make_sources(struct tracedat *f, struct sonde_error *err);

#endif
