/* SPDX-License-Identifier: MIT */
/*
 * compose.h - a new perf.data, put together from its parts
 *
 *	file:		header, ids, attrs, records, feature table, payloads
 *	stream:		header, HEADER_ATTR records, feature records, records
 *	directory:	such a file `data`, and records in files data.0, data.1 ...
 *
 * Order of calls: compose_new(), events and features, compose_begin(), records (and further features of a file),
 * compose_finish(). Bytes come and go in the byte order of the new file.
 *
 * With a level, records of the kernel are compressed: part_writer.h.
 */
#ifndef PERFDATA_WRITE_COMPOSE_H
#define PERFDATA_WRITE_COMPOSE_H

#include "model/meta.h"

#include "io/output.h"

struct compose;

struct compose_opts {
	bool pipe, swap;             /* swap: not the host's byte order */
	bool version1;               /* "PERFFILE" */
	uint32_t attr_size;          /* of each attr; 0: of the largest */
	uint64_t slack;              /* zeros between the feature table and the payloads, as perf leaves some */
	bool bare;                   /* of a stream: events and features come with the records */
	bool names;  /* of a stream: EVENT_UPDATE records name the events of EVENT_DESC, as those of perf do */
	uint32_t level;              /* of compression; 0: none */
	bool packed_as_told;         /* the feature COMPRESSED is given with the others */
	bool aligned;                /* COMPRESSED2, which perf knows since 6.16 */
	struct output_dir *dir;      /* a directory is written, and `to` is its file `data` */
};

#define COMPOSE_PARTS_MAX 1024

/* Told of things that have no place in the new file. */
typedef void (*compose_lost_fn)(void *ctx, uint64_t count, const char *what);

/* @to stays the caller's, who finishes and closes it. NULL when out of memory. */
struct compose *compose_new(struct output *to, const struct compose_opts *opts, compose_lost_fn lost, void *ctx);
void compose_free(struct compose *c);

/**
 * compose_event - one more event
 * @tail: bytes of its attr beyond those that struct sonde_attr knows, @nr_tail of them; copied
 */
int compose_event(struct compose *c, const struct sonde_attr *attr, const uint8_t *tail, size_t nr_tail,
		  const uint64_t *ids, size_t nr_ids);

/* The payload of a feature, copied; it replaces what was given before. */
int compose_feature(struct compose *c, uint32_t id, const void *payload, size_t n);
/* The same of the fields of @meta that make up the feature. */
int compose_fields(struct compose *c, uint32_t id, struct meta *meta);

int compose_begin(struct compose *c, struct sonde_error *err);

/* Instead: the caller writes all but the records. */
void compose_begin_records(struct compose *c, struct sonde_error *err);

/* Where in the file the next record will be. */
uint64_t compose_at(const struct compose *c);

/* A record, into `data` (0), or another file of a directory: part k is data.(k - 1), up to COMPOSE_PARTS_MAX. */
int compose_record(struct compose *c, size_t part, const void *p, size_t n);

/* Adds a record that is not to be compressed, whatever it is. */
int compose_plain(struct compose *c, size_t part, const void *p, size_t n);

/* Compresses what has been gathered but for its last n bytes, which begin the next compressed block. */
int compose_pack(struct compose *c, size_t part, size_t n);

/* Bytes after the record that came last, in one or more calls; or bytes of an image. */
int compose_payload(struct compose *c, size_t part, const void *p, size_t n);
int compose_payload_copy(struct compose *c, size_t part, struct image *im, uint64_t at, uint64_t n,
			 struct sonde_error *err);

int compose_finish(struct compose *c, struct sonde_error *err);

/* As above, but of what is written through `to` only the records: the caller has put the rest there. */
int compose_finish_records(struct compose *c, struct sonde_error *err);

#endif
