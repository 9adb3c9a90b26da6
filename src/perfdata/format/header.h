/* SPDX-License-Identifier: MIT */
/* header.h - the first 104 (or 16) bytes of a perf.data, and the sections they lead to. */
#ifndef PERFDATA_FORMAT_HEADER_H
#define PERFDATA_FORMAT_HEADER_H

#include "model/meta.h"

#include "base/buf.h"
#include "base/cursor.h"

/* "PERFILE2" in little-endian; it lies in the byte order of the file, and so tells it */
#define PERFDATA_MAGIC UINT64_C(0x32454c4946524550)
#define PERFDATA_HEADER_BYTES 104
#define FEATURES_AT 72               /* in the header */
#define PERFDATA_PIPE_HEADER_BYTES 16

struct section {
	uint64_t offset, size;
};

struct header {
	bool pipe;                   /* a stream: nothing below is used */
	bool swap;                   /* not the host's byte order */
	uint32_t version;            /* 1 "PERFFILE", 2 "PERFILE2" */
	uint64_t attr_size;          /* of an entry of the attrs section: an attr and a section */
	struct section attrs, data;
	uint64_t features[SONDE_FEAT_BITS / 64];
};

/* True when n bytes begin like a perf.data. */
bool header_probe(const uint8_t *p, size_t n);

/**
 * header_decode - read and check the header
 * @p, @n: the beginning of the input, at least 16 bytes for a stream
 * Returns 0, -SONDE_FORMAT if it is no perf.data, -SONDE_TRUNCATED or -SONDE_CORRUPT.
 */
int header_decode(const uint8_t *p, size_t n, struct header *out, struct sonde_error *err);

/** header_encode - append @h, in its byte order and version; a stream has the magic and the size only */
void header_encode(struct buf *out, const struct header *h);

/*
 * Whether a recorder of sonde was killed in the middle of a flush: its features lie between attrs and records, but no
 * bit says so.
 */
bool header_is_torn(const struct header *h);

static inline bool header_has(const struct header *h, unsigned feature)
{
	return h->features[feature / 64] >> feature % 64 & 1;
}

#endif
