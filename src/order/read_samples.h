/* SPDX-License-Identifier: MIT */
/*
 * read_samples.h - samples of the events whose counts a sample has read
 *
 * With PERF_SAMPLE_READ, a sample carries the count of its event, or those of its whole group: `{a,b}:S`, where only
 * the leader samples. Such a record stands for a sample of each event whose count has grown since it was read before,
 * and the growth is the period. perf reads it in this way, too.
 *
 * Each of these samples has the call chain or the copy of a stack that the record has, so a made-up record of 64 kB
 * with thousands of both would be the work of thousands of records. What the samples of one record hold together is
 * limited to READ_SAMPLES_BYTES: every event of a group of the kernel, whose counts have at most 16 kB, with chains of
 * its usual depth, and 16 events whatever else the record has. The others are counted, and told as a loss.
 */
#ifndef ORDER_READ_SAMPLES_H
#define ORDER_READ_SAMPLES_H

#include <linux/perf_event.h>

#include "model/reader.h"
#include "order/count_growth.h"

enum { READ_SAMPLES_BYTES = 1 << 20 };

/* Begins as {0}. Of one trace. */
struct read_samples {
	struct count_growth growth;
	struct u64map evsel_of_id;
	size_t nr_ids;               /* of the reader, when it was asked last */
	struct loaded_event sample;  /* whose counts are being handed out */
	struct read_counts counts;
	uint64_t at;                 /* the next one; counts.nr: none is left */
	uint64_t left;               /* samples that may still be made of the record */
	uint64_t unknown;            /* counts that have grown, of no event of the trace */
	uint64_t crowded;            /* counts that have grown, but were one more than `left`; since it was set to 0 */
};

static inline bool reads_counts(const struct sonde_evsel *evsel)
{
	return evsel && evsel->attr && evsel->attr->sample_type & PERF_SAMPLE_READ;
}

/* Whether a sample of the trace, or of what may still come in a stream, reads counts. */
bool read_samples_expected(const struct reader *r);

/* Takes a sample of an event that reads counts, in order of time; it has to live as long as its samples are asked for.
 * False: it carries none, and goes on its way. */
bool read_samples_take(struct read_samples *s, const struct sonde_event *ev);

/* The next sample of the one that was taken last: 1, 0 if there is none, -SONDE_NOMEM. */
int read_samples_next(struct read_samples *s, struct loaded_event *out);

void read_samples_free(struct read_samples *s);

#endif
