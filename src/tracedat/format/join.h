/* SPDX-License-Identifier: MIT */
/* join.h - one extent of each CPU, in what is made of the file of a recorder that was killed */
#ifndef TRACEDAT_FORMAT_JOIN_H
#define TRACEDAT_FORMAT_JOIN_H

#include "tracedat/format/file.h"

/*
 * Makes the extents that a CPU has in an unfinished file one, in the order of their times; other files stay as they
 * are. The bytes of the extents must not overlap. dat_pages_next() gives all of them from now on. 0 or -SONDE_NOMEM.
 */
int dat_join_extents(struct dat_file *f);

#endif
