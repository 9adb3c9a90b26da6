/* SPDX-License-Identifier: MIT */
/* metadata.h - event formats, symbols, names and evlist of a trace */
#ifndef TRACEDAT_READ_METADATA_H
#define TRACEDAT_READ_METADATA_H

#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"

/* The metadata that both versions have, at @c in @b. Metadata that is damaged is a row in the ledger;
 * negative: no memory, or a kernel too old to be read. */
int dat_metadata_read(struct tracedat *f, enum section_id id, const struct view *b, struct cursor *c,
		      struct sonde_error *err);
/* Makes the evlist, once all formats and buffers are known. */
int dat_metadata_make_evsels(struct tracedat *f, struct sonde_error *err);

#endif
