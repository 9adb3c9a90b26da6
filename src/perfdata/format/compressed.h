/* SPDX-License-Identifier: MIT */
/* compressed.h - what is in a COMPRESSED or COMPRESSED2 record */
#ifndef PERFDATA_FORMAT_COMPRESSED_H
#define PERFDATA_FORMAT_COMPRESSED_H

#include "perfdata/format/record.h"

/* The real size of the COMPRESSED2 at @p; 16 bytes of it are there. */
uint16_t compressed2_size(const uint8_t *p, uint16_t size, bool swap);

/* The compressed bytes of a COMPRESSED or COMPRESSED2, and whether a zstd stream begins with them. */
struct sonde_bytes compressed_payload(const uint8_t *p, const struct record_header *h, bool swap);
bool compressed_begins_stream(struct sonde_bytes payload);

/* Whether @nr_in bytes of one stream have become so many that the rest of it is not decompressed. */
bool compressed_expands_too_far(uint64_t nr_in, uint64_t nr_out);

#endif
