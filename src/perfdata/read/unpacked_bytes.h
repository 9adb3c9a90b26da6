/* SPDX-License-Identifier: MIT */
/* unpacked_bytes.h - the bytes out of the compressed records of a walk */
#ifndef PERFDATA_READ_UNPACKED_BYTES_H
#define PERFDATA_READ_UNPACKED_BYTES_H

#include "perfdata/read/walk_bytes.h"

/* The compressed record at which w->file stands comes next out of w->unpacked. */
int walk_take_compressed(struct walk *w, struct scanned *r, struct sonde_error *err);

void walk_unpack_end(struct walk *w);

#endif
