/* SPDX-License-Identifier: MIT */
/* perfdata.h - an open perf.data */
#ifndef PERFDATA_READ_PERFDATA_H
#define PERFDATA_READ_PERFDATA_H

#include "io/input.h"
#include "model/input_format.h"
#include "perfdata/format/evlist.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"
#include "perfdata/read/block.h"
#include "perfdata/scan/id_recovery.h"
#include "perfdata/scan/stream_mark.h"

/* A file of records: `data` of a directory, or a data.N, which has neither header nor features. */
struct part {
	const char *name;
	int fd;                      /* owned, but for the first, which is the input's */
	uint64_t begin, end;         /* where its records lie */
};

/* While events have no ids: the ids in records, and updates of events that cannot be found yet. */
struct recovered_ids {
	struct id_recovery run;
	VEC(const uint8_t *) updates;  /* copies of whole records */
	bool settled;                /* found or not: there is nothing more to be learnt */
};

struct perfdata {
	struct reader base;          /* first, so that a pointer to it is a pointer to this */
	struct input input;
	struct header header;
	struct evlist evlist;
	VEC(struct part) parts;      /* of a directory; empty otherwise */
	VEC(const char *) part_names;
	struct blocks blocks;
	VEC(struct sonde_build_id) build_ids;  /* from HEADER_BUILD_ID records */
	uint64_t ledger_turn;        /* the number of the walk that writes the ledger: the newest */
	uint64_t metadata_until;     /* metadata of records below this offset has been taken */
	struct recovered_ids recovered_ids;
	struct walk *stream_walk;    /* of a stream, until it is handed out */
	struct sonde_bytes stream_aux;  /* of a stream: record and payload of the last AUXTRACE */
	uint8_t *aux;                /* of a file: the payload that was asked for last */
	size_t aux_cap;
	/* events that LOST records, or counts at the end, tell of and the other has not yet */
	uint64_t lost_by_records, lost_by_counts;
	bool features_finished;      /* all features of the header were seen */
	bool unfinished;             /* data size 0: the recorder never finished the file */
	struct stream_mark mark;     /* of a stream of our recorder */
};

static inline struct perfdata *perfdata_of(struct reader *r)
{
	return (struct perfdata *)r;
}

extern const struct input_format perfdata_format;

#endif
