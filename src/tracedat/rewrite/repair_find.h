/* SPDX-License-Identifier: MIT */
/* repair_find.h - sections that nothing refers to, and buffers whose table is lost */
#ifndef TRACEDAT_REWRITE_REPAIR_FIND_H
#define TRACEDAT_REWRITE_REPAIR_FIND_H

#include "tracedat/rewrite/rewrite.h"

/* Sections that nothing leads to, buffers whose table is lost */
int dat_repair_find_sections(struct dat_rewrite *w);
int dat_repair_find_pages(struct dat_rewrite *w);

#endif
