/* SPDX-License-Identifier: MIT */
/* check.h - holds a trace.dat against the rules of its format */
#ifndef TRACEDAT_SCAN_CHECK_H
#define TRACEDAT_SCAN_CHECK_H

#include "io/image.h"
#include "model/findings.h"

/* Tells what is wrong to @f; *records: events in the pages. 0, what f->fn stopped with, -SONDE_NOMEM, -SONDE_SYSTEM. */
int dat_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err);

#endif
