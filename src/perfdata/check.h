/* SPDX-License-Identifier: MIT */
/* check.h - all rules of the format, over a whole file. */
#ifndef PERFDATA_CHECK_H
#define PERFDATA_CHECK_H

#include "perfdata/check_rules.h"
#include "model/image.h"

/**
 * perfdata_check - every rule over every byte
 * @records: how many whole ones there are
 * Returns 0 whatever was found, negative when memory is short or the image cannot be read, or what f->fn returned.
 */
int perfdata_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err);

#endif
