/* SPDX-License-Identifier: MIT */
/*
 * merge.h - one perf.data out of several
 *
 * merge.c passes the records of the inputs (merge_input.c) by time, merge_events.c settles which of their events are
 * the same and how each is called in the new file, merge_read.c in what format counts are, merge_record.c gives records
 * the ids, times and layout that they have there, merge_features.c puts the headers together.
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
	uint64_t fresh_id;           /* none of the inputs has this one, nor those after it */
	bool swap;  /* the byte order of the first input is not the host's; all of the new file has it */
	struct output to;
	struct compose *out;
	struct compose_opts opts;
	uint8_t *room;               /* a record that is changed */
	uint8_t *turned;             /* a record of an input of the other byte order, in that of the new file */
	const struct merge_input *aux;  /* whose hardware trace is taken over */
	VEC(struct sonde_auxtrace_index) auxtrace;
	struct buf thread_map, cpu_map;  /* the records that came first */
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

#endif
