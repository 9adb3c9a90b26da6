/* SPDX-License-Identifier: MIT */
/* image_scan.h - the records of a file at rest */
#ifndef PERFDATA_SCAN_IMAGE_SCAN_H
#define PERFDATA_SCAN_IMAGE_SCAN_H

#include "io/image.h"
#include "perfdata/scan/scan.h"

struct image_scan {
	struct scan scan;            /* first */
	struct image *image;
};

struct image_scan image_scan(struct image *im, struct evlist *evlist, bool swap, uint64_t at, uint64_t end);

/*
 * Passes the next record, a view until the next look at the image, or damage. A record that lacks bytes of its payload
 * is damage.
 */
enum scan_step image_scan_next(struct image_scan *s, struct scanned *out);

#endif
