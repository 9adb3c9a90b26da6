/* SPDX-License-Identifier: MIT */
/*
 * compose.h - a new perf.data, put together from its parts
 *
 *	file:	header, ids, attrs, records, feature table, payloads
 *	stream:	header, HEADER_ATTR records, feature records, records
 *
 * Order of calls: compose_new(), events and features, compose_begin(), records (and further features of a file),
 * compose_finish(). Bytes come and go in the byte order of the new file.
 */
#ifndef PERFDATA_COMPOSE_H
#define PERFDATA_COMPOSE_H

#include <sonde/meta.h>

#include "model/output.h"

struct compose;

struct compose_opts {
	bool pipe, swap;             /* swap: not the host's byte order */
	bool version1;               /* "PERFFILE" */
	uint32_t attr_size;          /* of each attr; 0: of the largest */
	uint64_t slack;              /* zeros between the feature table and the payloads, as perf leaves some */
};

/* What of a part has no place in the new file. */
typedef void (*compose_lost_fn)(void *ctx, uint64_t count, const char *what);

/* @to stays the caller's, who finishes and closes it. NULL when out of memory. */
struct compose *compose_new(struct output *to, const struct compose_opts *opts, compose_lost_fn lost, void *ctx);
void compose_free(struct compose *c);

/**
 * compose_event - one more event
 * @tail: bytes of its attr beyond those that struct sonde_attr knows, @nr_tail of them; copied
 */
int compose_event(struct compose *c, const struct sonde_attr *attr, const uint8_t *tail, size_t nr_tail, const uint64_t *ids,
		  size_t nr_ids);

/* The payload of a feature, copied; it replaces what was given before. */
int compose_feature(struct compose *c, uint32_t id, const void *payload, size_t n);
void compose_no_feature(struct compose *c, uint32_t id);

int compose_begin(struct compose *c, struct sonde_error *err);

/* Where in the file the next record will be. */
uint64_t compose_at(const struct compose *c);

/* Records and what follows them, in pieces of any size. */
int compose_records(struct compose *c, const void *p, size_t n);

int compose_finish(struct compose *c, struct sonde_error *err);

#endif
