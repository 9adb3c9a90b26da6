/* SPDX-License-Identifier: MIT */
/*
 * perfdata.h - an open perf.data
 *
 * perfdata.c opens it and knows its metadata, walk.c goes through its records, load.c turns a record into an event.
 */
#ifndef PERFDATA_READ_PERFDATA_H
#define PERFDATA_READ_PERFDATA_H

#include "io/input.h"
#include "model/input_format.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sources.h"
#include "perfdata/read/chunk.h"
#include "perfdata/scan/id_recovery.h"

/* A file of records: `data` of a directory, or a data.N, which has neither header nor features. */
struct part {
	const char *name;
	int fd;                      /* owned, but for the first, which is the input's */
	uint64_t begin, end;         /* where its records lie */
};

/* While events have no ids: what records tell of them, and updates of events that cannot be found yet. */
struct lost_ids {
	struct id_recovery run;
	VEC(const uint8_t *) updates;  /* copies of whole records */
	bool settled;                /* found or not: there is nothing more to be learnt */
};

struct perfdata {
	struct reader base;          /* first, so that a pointer to it is a pointer to this */
	struct input input;
	struct header header;
	struct sources sources;
	VEC(struct part) parts;      /* of a directory; empty otherwise */
	VEC(const char *) part_names;
	struct chunks chunks;
	VEC(struct sonde_build_id) build_ids;  /* those that came as records */
	uint64_t ledger_turn;        /* the number of the walk that writes the ledger: the newest */
	uint64_t metadata_until;     /* metadata of records below this offset has been taken */
	struct lost_ids lost_ids;
	struct walk *stream_walk;    /* of a stream, until it is handed out */
	struct sonde_bytes stream_aux;  /* of a stream: record and payload of the last AUXTRACE */
	uint8_t *aux;                /* of a file: the payload that was asked for last */
	size_t aux_cap;
	uint64_t memory_left;        /* of what sections of a file may take */
	uint64_t lost_by_records, lost_by_counts;  /* events that LOST records, or counts at the end, tell of and the other has not yet */
	bool features_finished;      /* all features of the header were seen */
	bool unfinished;             /* data size 0: the recorder never finished the file */
};

static inline struct perfdata *perfdata_of(struct reader *r)
{
	return (struct perfdata *)r;
}

extern const struct input_format perfdata_format;

/* walk.c */
int perfdata_walk_new(struct reader *r, struct walk **out, struct sonde_error *err);
int perfdata_walk_part(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err);
void perfdata_walk_free(struct walk *w);
int perfdata_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err);
int perfdata_read_ahead(struct perfdata *f, struct sonde_error *err);
void perfdata_walk_ahead(const struct walk *w, struct look_ahead *a);
void perfdata_walk_take_ahead(struct walk *w, const struct look_ahead *a);
uint64_t perfdata_walk_passed(const struct walk *w);
uint64_t perfdata_held(const struct reader *r);
void perfdata_pin(struct reader *r, const struct record_ref *ref);
void perfdata_unpin(struct reader *r, const struct record_ref *ref);

/* metadata.c: takes from the record at @p what it says about the file itself: attrs, names, features. @payload: bytes that
 * follow the record (TRACING_DATA). */
int perfdata_note_metadata(struct perfdata *f, const uint8_t *p, struct sonde_bytes payload, uint64_t file_offset,
			   struct sonde_error *err);
/* All features have come: says which of them waited in vain for another one. The first call counts. */
int perfdata_finish_features(struct perfdata *f, struct sonde_error *err);
/* The attrs and features sections of a file. */
int perfdata_read_sections(struct perfdata *f, struct sonde_error *err);

/*
 * lost_ids.c: whether records cannot be told apart because events have no ids, and may be some day.
 * perfdata_note_ids() takes what a record tells of them: 1 if the record can wait for its event until they are known, 0, or negative.
 * perfdata_settle_ids() gives the events what has been learnt: 1 if there was something. perfdata_find_ids() looks for all of it at open.
 */
static inline bool perfdata_lacks_ids(const struct perfdata *f)
{
	return f->sources.nr_without_ids && !f->lost_ids.settled && f->base.sources.n > 1 && f->sources.nr_places;
}
int perfdata_note_ids(struct perfdata *f, const uint8_t *p, const struct record_header *h, struct sonde_error *err);
int perfdata_settle_ids(struct perfdata *f, struct sonde_error *err);
int perfdata_find_ids(struct perfdata *f, struct sonde_error *err);

/* first_records.c: see struct reader_ops. */
int perfdata_first_records(struct reader *r, struct sonde_error *err);

/* parts.c: opens the files beside `data`. */
int perfdata_open_directory(struct perfdata *f, struct sonde_error *err);
void perfdata_close_directory(struct perfdata *f);

/* load.c */
void perfdata_load(struct reader *r, const struct record_ref *ref, struct sonde_event *out);
struct sonde_u64s perfdata_callchain(const struct reader *r, const struct sonde_event *ev);
int perfdata_sample(const struct reader *r, const struct sonde_event *ev, struct sonde_sample *out);
int perfdata_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
int perfdata_auxtrace(struct reader *r, const struct sonde_event *ev, struct sonde_auxtrace *out);
int perfdata_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);

/* align.c */
/* Whether both say which machine they are from, and it is not the same. */
bool perfdata_hosts_differ(const struct reader *a, const struct reader *b);
/* Whether the recorder noted a moment by the wall clock and by its own. */
bool perfdata_has_wall_clock(const struct reader *r);
bool perfdata_align(const struct reader *r, const struct reader *first, int64_t *shift);

#endif
