/* SPDX-License-Identifier: MIT */
/* check.h - all rules of the format, over a whole file. */
#ifndef PERFDATA_SCAN_CHECK_H
#define PERFDATA_SCAN_CHECK_H

#include "io/image.h"
#include "perfdata/scan/layout.h"
#include "perfdata/scan/rules.h"

/**
 * perfdata_check - every rule over every byte
 * @records: how many whole ones there are
 * Returns 0 whatever was found, negative when memory is short or the image cannot be read, or what f->fn returned.
 */
int perfdata_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err);

#endif
