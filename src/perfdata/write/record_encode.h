/* SPDX-License-Identifier: MIT */
/* record_encode.h - records of the kernel, laid out as the attr of their event says */
#ifndef PERFDATA_WRITE_RECORD_ENCODE_H
#define PERFDATA_WRITE_RECORD_ENCODE_H

#include <sonde/perf_writer.h>

#include "base/buf.h"

/* The event and the file of a record, on which its layout depends. */
struct record_layout {
	const struct sonde_attr *attr;
	uint64_t id;                 /* for fields that are to name the event and do not */
	bool swap;                   /* not the host's byte order */
};

/**
 * record_encode_sample - append a SAMPLE to @out, a buffer in memory
 * Returns 0, or -SONDE_USAGE when @s cannot be laid out by the attr, -SONDE_NOMEM.
 */
int record_encode_sample(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
			 const struct sonde_sample *s, struct sonde_error *err);

/* As above: an MMAP2, an MMAP where only that is needed; a COMM; a FORK or EXIT. */
int record_encode_mmap(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       const struct sonde_mmap *m, struct sonde_error *err);
int record_encode_comm(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       const struct sonde_comm *c, struct sonde_error *err);
int record_encode_task(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       bool exits, const struct sonde_task *t, struct sonde_error *err);

#endif
