/* SPDX-License-Identifier: MIT */
/* catalog_sdt.h - the static probes of a file in the catalogue of events */
#ifndef API_RECORD_CATALOG_SDT_H
#define API_RECORD_CATALOG_SDT_H

#include "record/event/catalog.h"

/* Adds each name once, in the order of the alphabet. 0 or a negative code. */
int catalog_add_sdt(struct catalog *c, const char *file);

#endif
