/* SPDX-License-Identifier: MIT */
/* recording_gather.h - makes the extents of each CPU one, in a file that is to be finished in place */
#ifndef TRACEDAT_WRITE_RECORDING_GATHER_H
#define TRACEDAT_WRITE_RECORDING_GATHER_H

#include "tracedat/write/recording_file.h"

/*
 * Moves pages to the end of the file until every CPU has one extent, in the order of buffers and CPUs, with a gap
 * before each. The file can be read after every step, and is the same trace. 0; 1 if that cannot be done: r has the
 * current extents.
 */
int dat_recording_gather(struct recording *r);

#endif
