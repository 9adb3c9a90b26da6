/* SPDX-License-Identifier: MIT */
/* repair_metadata.h - replaces damaged metadata by its readable part */
#ifndef TRACEDAT_REWRITE_REPAIR_METADATA_H
#define TRACEDAT_REWRITE_REPAIR_METADATA_H

#include "tracedat/rewrite/rewrite.h"

/* Metadata that is damaged becomes what of it can be read */
int dat_repair_metadata(struct dat_rewrite *w);

#endif
