/* SPDX-License-Identifier: MIT */
/* search.h - the last look at a file that is redacted: is anything that was replaced still there? */
#ifndef TRACEFMT_REDACT_SEARCH_H
#define TRACEFMT_REDACT_SEARCH_H

#include "base/multi_search.h"
#include "io/image.h"

/* Looks for what was replaced in bytes that lie at @file_offset: 0, or -SONDE_CORRUPT and where it was found. @kinds:
 * of enum search_kind. */
int redact_search(const struct multi_search *removed, unsigned kinds, const void *p, size_t n, uint64_t file_offset,
		  struct sonde_error *err);

/* Looks for paths in every byte of a file. */
int redact_search_file(const struct multi_search *removed, struct image *im, struct sonde_error *err);

#endif
