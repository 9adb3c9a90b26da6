/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - one pass from a perf.data to a new one
 *
 * The common part of repair, cut and convert: they find the parts of the old file, change them, and put them together.
 */
#ifndef PERFDATA_REWRITE_REWRITE_H
#define PERFDATA_REWRITE_REWRITE_H

#include "model/rewriting.h"
#include "perfdata/scan/record_source.h"
#include "perfdata/write/compose.h"

/*
 * A record on its way. It is passed expanded, whether it lay in the file, in a compressed record or in a part of a
 * directory. A change may point p to other bytes, which it keeps until it is called again: of n bytes, also in the
 * header of the record. What follows an AUXTRACE lies in the image after the record; a change may give other bytes for
 * it too, or none.
 */
struct rewrite_record {
	const struct scanned *from;  /* as it was; its place is that of the compressed record if it was in one */
	const char *part;            /* name of the file in a directory; NULL: the only one, or `data` */
	size_t part_number;          /* 0: `data`; of data.N: N + 1 */
	const uint8_t *p;
	size_t n;
	struct image *image;         /* where `from` lies, but for expanded records */
	uint64_t nr_payload;         /* bytes that follow it in the image */
};

#define REWRITE_SCRATCH ((size_t)UINT16_MAX + 1)  /* the largest record fits in */

enum rewrite_verdict { REWRITE_DROP, REWRITE_KEEP, REWRITE_ANEW };

struct rewrite {
	struct sonde_rewrite *handle;
	struct image image;
	struct layout in;
	struct output to;            /* of a directory: its file `data` */
	struct output_dir dir;       /* fd -1: the output is none */
	struct compose *out;
	struct compose_opts opts;    /* swap: the byte order of the output */
	/*
	 * Decides about each record: a verdict, or negative to stop. NULL: all are kept. Records that are made anew
	 * from w->in (of a stream HEADER_ATTR, HEADER_FEATURE, HEADER_TRACING_DATA; COMPRESSED) are not passed. It sees
	 * the bytes of the input, before they get another byte order.
	 */
	int (*change)(struct rewrite *w, struct rewrite_record *record);
	/* The same for a feature: REWRITE_ANEW if its payload has been put into @out. NULL: all are kept. */
	int (*change_feature)(struct rewrite *w, uint32_t id, struct buf *out);
	/* Looks at what was written before it gets its name: 0, or negative, and it never gets it. May be NULL. */
	int (*verify)(struct rewrite *w);
	/*
	 * Adds features that are known only when all records have passed; not for streams. 0 or negative. May be NULL.
	 */
	int (*late_features)(struct rewrite *w);
	void *ctx;                   /* of these */
	bool events_changed;         /* EVENT_DESC is made anew from in.meta, which was changed with the attrs */
	bool keep_packed;            /* compressed records pass as they are, without a change */
	bool as_it_is;               /* of a stream: records of metadata pass with the others */
	bool keep_damage;            /* bytes that are no records pass too */
	bool rebuild;                /* what keeps its byte order is taken apart and put together all the same */
	bool same_chunks;            /* what is compressed again is so in the pieces that it was in */
	bool in_parts;               /* the input is a directory of several files */
	struct u64map cpus;          /* a CPU to the number of its file in a new directory */
	size_t nr_cpus;
	uint8_t *scratch;            /* what gets the other byte order: REWRITE_SCRATCH bytes */
	VEC(struct sonde_auxtrace_index) auxtrace;
};

/* How a loss begins that is none of bytes. */
#define REWRITE_STAYS "in the byte order of the recorder: "

/*
 * Opens the output, a directory if @to says so or the input is one and it is to stay so, and takes the image over, also
 * on failure; rewrite_close() in any case.
 */
int rewrite_open(struct rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out,
		 enum sonde_rewrite_form to);

/*
 * Takes events and features out of the records of a stream, which has them nowhere else. w->opts is then that of an
 * output of the same form as the input, compressed as it is.
 */
int rewrite_collect(struct rewrite *w);

/* Refuses what only repair can make something of: 0, or negative. After rewrite_collect(). */
int rewrite_refuse(struct rewrite *w);

/*
 * Notes that the end of the input is missing: a killed recorder did not write it, or the file was cut. A copy does not
 * say so.
 */
void rewrite_lose_end(struct rewrite *w);

/* Whether the payload can be read by itself: a stream can have a feature twice, and then the last one counts. */
bool rewrite_can_read_feature(struct rewrite *w, uint32_t id);

/* Leaves out, and notes, the features that are not there although the header names them, and those that are no whole
 * ones: readers refuse a file for half a feature. */
void rewrite_lose_features(struct rewrite *w);

#define REWRITE_CONTRADICTS "%s records that contradict themselves"

/* Whether a record contradicts itself, which is noted: readers would stop at it, or read what is not there. */
bool rewrite_contradicts(struct rewrite *w, const struct scanned *from);

/* Whether all compressed records, and all records in them, are sound; or negative. */
int rewrite_packed_are_sound(struct rewrite *w);

/* Puts everything together: events and features as they are in w->in, then the records. */
int rewrite_run(struct rewrite *w);

/*
 * Passes the records of all files to w->out; w->in_parts is known since rewrite_collect(). The caller has begun the
 * output and ends it.
 */
int rewrite_records(struct rewrite *w);

/* All that is written is complete: it gets its name. */
int rewrite_finish(struct rewrite *w);

void rewrite_close(struct rewrite *w);

/* Whether the output has another byte order than the input. */
bool rewrite_changes_order(const struct rewrite *w);

/* The body of a MMAP or MMAP2, without the trailer; false for any other record, and for one that is cut. */
bool rewrite_mapping(struct rewrite *w, const uint8_t *p, const struct record_header *h, struct sonde_mmap *out);

/* Notes a loss, with the place of the record if there is one. */
void rewrite_lose(struct rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, const char *what);

#endif
