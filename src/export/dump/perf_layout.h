/* SPDX-License-Identifier: MIT */
/*
 * perf_layout.h - records in the layout of `perf report -D`
 *
 *	0x1218@perf.data [0x38]: event: 3              place, file, size and number of the type
 *	.
 *	. ... raw event: size 56 bytes
 *	.  0000:  03 00 00 00 00 20 38 00 ...          the bytes as they lie in the file
 *
 *	7038678613371 0x1218 [0x38]: PERF_RECORD_COMM exec: workload:7453/7453
 *
 * Events flow in by time, since the thread of a sample and the binary at its address are those of its moment; text
 * flows out. The line of a record begins with CPU and time where an event of the recording samples them. What perf says
 * of a type is in perf_words.h; where it says nothing, the fields of the record follow, a line each. Scripts read
 * this text, so it goes by perf to the byte; what is other is told in docs/dump-differences.md.
 */
#ifndef EXPORT_DUMP_PERF_LAYOUT_H
#define EXPORT_DUMP_PERF_LAYOUT_H

#include "base/buf.h"
#include "resolve/moment.h"

struct perf_layout {
	struct moment now;
	const struct reader *reader;
	const char *path;            /* of the recording; NULL: it is a stream */
	uint64_t stream_begin;       /* of a stream: the place of its first record */
	const char *const *files;    /* of a directory */
	size_t nr_files;
	size_t nr_attrs;             /* HEADER_ATTR records so far, each of which tells of an event */
};

/* 0 or -SONDE_NOMEM; perf_layout_free() in any case. */
int perf_layout_init(struct perf_layout *l, const struct reader *reader, const char *path);
void perf_layout_free(struct perf_layout *l);

/* Writes an event, the next one by time. 0 or -SONDE_NOMEM. */
int perf_layout_event(struct perf_layout *l, struct buf *out, const struct sonde_event *ev);

#endif
