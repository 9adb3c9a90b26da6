/* SPDX-License-Identifier: MIT */
/* parts.h - the parts of a file that scan/ has found become the metadata of the reader */
#ifndef TRACEDAT_READ_PARTS_H
#define TRACEDAT_READ_PARTS_H

#include "tracedat/read/tracedat.h"

/* Takes in what f->file says: 0, negative when there is no memory, or a kernel too old to be read */
int dat_parts_take(struct tracedat *f, struct sonde_error *err);

#endif
