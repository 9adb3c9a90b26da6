/* SPDX-License-Identifier: MIT */
/* repair_metadata.h - replaces damaged metadata by its readable part */
#ifndef TRACEDAT_REWRITE_REPAIR_METADATA_H
#define TRACEDAT_REWRITE_REPAIR_METADATA_H

#include "tracedat/rewrite/rewrite.h"

/* Sections that are damaged become what of them can be read. */
int dat_mend_sections(struct dat_rewrite *w);
/* The same, and sections that every file has are added where they are missing. */
int dat_repair_metadata(struct dat_rewrite *w);

#endif
