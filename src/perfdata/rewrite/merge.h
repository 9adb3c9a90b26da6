/* SPDX-License-Identifier: MIT */
/*
 * merge.h - one perf.data out of several
 *
 * merge.c goes through the inputs by time, merge_events.c settles which of their events are the same and how each is called in the
 * new file, merge_read.c in what format counts are, merge_record.c gives records the ids, times and layout that they have there,
 * merge_features.c puts the headers together.
 */
#ifndef PERFDATA_REWRITE_MERGE_H
#define PERFDATA_REWRITE_MERGE_H

#include <sonde/merge.h>

#include "model/rewriting.h"
#include "order/order.h"
#include "perfdata/read/perfdata.h"
#include "perfdata/write/compose.h"

/* An event of the new file. */
struct merged_event {
	struct sonde_attr attr;
	struct sample_layout layout;
	const char *name;            /* the input's */
	uint32_t leader;             /* index; its own if it is in no group */
	size_t last_input;           /* that has this event */
	VEC(uint64_t) ids;
};

struct merge_input {
	struct reader *reader;
	struct perfdata *file;
	const char *name;
	struct order order;
	struct record_ref ref;       /* the next record, unless ended */
	uint64_t key;                /* its time in the new file; of one without a time, that of the one before */
	bool ended;
	int64_t shift;               /* from its clock to that of the new file */
	bool aligned;                /* its clock is that of the new file now */
	uint32_t *events;            /* by index of its source: that of the new file */
	struct sonde_attr *attrs;    /* as they are to be in the new file */
	size_t nr_events;
	struct u64map ids;           /* of its events: where in new_ids */
	VEC(uint64_t) new_ids;
	bool plain;                  /* records pass as they are */
	uint64_t kernel_at;          /* where its kernel is mapped; 0: not known */
};

struct merge {
	struct sonde_rewrite *handle;
	struct merge_input *in;
	size_t nr_in;
	VEC(struct merged_event) events;
	struct u64map ids;           /* of the new file: index of the event */
	uint64_t fresh_id;           /* none of the inputs has this one, nor those behind it */
	bool swap;                   /* the byte order of the first input is not the host's; all of the new file has it */
	struct output to;
	struct compose *out;
	struct compose_opts opts;
	uint8_t *room;               /* a record that is changed */
	uint8_t *turned;             /* a record of an input of the other byte order, in that of the new file */
	const struct merge_input *aux;  /* whose hardware trace is taken over */
	VEC(struct sonde_auxtrace_index) auxtrace;
	struct buf thread_map, cpu_map;  /* records: those that came first */
	struct u64map pids;          /* index of the input that had it first; PID_SHARED: other machines have it too */
	uint64_t nr_shared_pids;
	bool several_hosts;
	uint64_t first, last;        /* times of samples */
	uint32_t in_round;           /* records with a time since the last mark of a round */
	bool has_times;              /* a record with a time has been written */
	bool queued;                 /* readers may hold records back that were written before */
};

/* See struct rewriter. */
int perfdata_merge(struct sonde_rewrite *handle, struct reader *const *in, size_t nr, const char *out,
		   const struct sonde_merge_opts *opts);

/* Fills m->events and what each input has of them; 0 or negative. */
int merge_events(struct merge *m);

/* Gives all events one read_format, and notes what is lost by it; 0, or negative if there is none for all. */
int merge_read_format(struct merge *m);

/* From one read_format to another, as read(2) gives counts. */
struct read_change {
	uint64_t from, to;
	uint64_t id;                 /* of the event, for a count that has none */
};

/* Whether the one has all that the other is to have. */
bool merge_read_fits(uint64_t from, uint64_t to);

/**
 * merge_read - the counts at *p, which end before @end, in the other format at *to
 * Both are advanced. Formats that fit need at most 16 bytes more than before. 0, or -SONDE_CORRUPT when there are fewer bytes than counts.
 */
int merge_read(const struct merge *m, const struct merge_input *in, const struct read_change *c, const uint8_t **p, const uint8_t *end,
	       uint8_t **to);

/* What may be the id of an inherited event, which no table has: then it stays. */
uint64_t merge_stream_id(const struct merge_input *in, uint64_t id);

/**
 * merge_record - a record of the kernel, or one of the recorder that names events, as it is in the new file
 * @out: valid until the next call
 * Returns 1, 0 if it has no place there (the ledger says why), or negative.
 */
int merge_record(struct merge *m, struct merge_input *in, const struct sonde_event *ev, struct sonde_bytes *out);

/* A time of an input in the new file; none stays none. */
uint64_t merge_time(struct merge *m, const struct merge_input *in, uint64_t time);

/* Gives the new file its features, before the records; those that are known only behind them. 0 or negative. */
int merge_features(struct merge *m);
int merge_late_features(struct merge *m);

/* Whether both say which machine they are from, and it is not the same. */
bool merge_hosts_differ(const struct merge_input *a, const struct merge_input *b);

#endif
