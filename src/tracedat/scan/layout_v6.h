/* SPDX-License-Identifier: MIT */
/* layout_v6.h - finds the parts of a version 6 file */
#ifndef TRACEDAT_SCAN_LAYOUT_V6_H
#define TRACEDAT_SCAN_LAYOUT_V6_H

#include "model/findings.h"
#include "tracedat/format/file.h"

/* Finds the parts of version 6, after the header. */
int dat_layout_read_v6(struct dat_file *f, struct findings *found, struct sonde_error *err);
/* The parts of version 6 that begin with the number of CPUs, at @at. */
int dat_layout_read_v6_data(struct dat_file *f, uint64_t at, struct findings *found);

#endif
