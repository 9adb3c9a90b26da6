/* SPDX-License-Identifier: MIT */
/*
 * event_rows.h - the events of a trace as the exporters see them: one row after the other, in order of time
 *
 *	while ((r = event_rows_next(e, &row)) > 0)
 *		write(row);
 */
#ifndef EXPORT_EVENTS_EVENT_ROWS_H
#define EXPORT_EVENTS_EVENT_ROWS_H

#include <string.h>

#include <sonde/export.h>

#include "analyze/stacks/stacks.h"
#include "base/u64map.h"
#include "model/ledger.h"
#include "model/reader.h"
#include "resolve/chain.h"
#include "resolve/moment.h"
#include "resolve/places.h"
#include "sched/scope.h"
#include "tracefmt/tracefmt.h"

/* An event of the evlist. */
struct event_source {
	uint32_t number;             /* in the order of the first rows */
	const char *name;            /* "cycles:u", "sched:sched_switch"; never NULL */
	const struct sonde_evsel *evsel;
	const struct tracefmt_event *format;  /* of a tracepoint; NULL if the trace does not describe it */
	bool is_tracepoint;
	uint32_t input;              /* the trace whose event it is */
};

/* A machine: one that was recorded, or a guest that a recording tells of. */
struct row_space {
	uint32_t host;               /* the first input of that machine */
	int32_t machine;             /* as sonde_event.machine_pid; 0: the host itself */
};

/* A trace that rows come from. */
struct row_input {
	/* given */
	const struct reader *reader;
	const struct tracefmt *kernel;   /* of a trace.dat, which names the functions of its kernel; else NULL */
	const struct sonde_alignment *alignment;  /* NULL: of one trace alone */
	/* the state */
	uint32_t host;               /* the first input of the same machine */
	VEC(const struct event_source *) sources;  /* by index of the evsel; NULL: had no row */
	struct u64map evsel_of_id;   /* index of the evsel */
	size_t nr_ids;               /* of all evsels, when these were noted */
	struct call_stacks call_stacks;
	struct sched_scope scope;        /* of the runs: see sched/scope.h; all tasks if nobody asked */
};

/* One event. Views until the next one, names as long as the events. */
struct event_row {
	const struct sonde_event *ev;
	const char *kind;            /* "sample", "tracepoint", "mmap", "lost", ... */
	bool is_sample;              /* or a tracepoint */
	uint64_t time;               /* ns by the clock of the trace; SONDE_NONE: none */
	const char *comm;            /* NULL: no record named the thread */
	const struct event_source *source;  /* NULL: the record has none */
	uint32_t input;              /* its trace */
	uint32_t space;              /* where its pids and CPUs are numbers: an index in event_rows.spaces */
	/* of samples and tracepoints */
	struct sample sample;
	const struct place *place;   /* of ip; NULL: the sample has no address */
	uint32_t stack;              /* of its callchain: an index in event_rows.stacks; 0: it has none */
	const struct u64map *evsel_of_id;    /* for its counts, if it has some */
};

/* Samples that are not wholly in their place: nothing stands for what is not known. */
struct row_gaps {
	uint64_t unnamed;            /* of threads that no record named */
	uint64_t unmapped;           /* whose address lies in no mapping and no function that is known */
	uint64_t lone_stacks;        /* stacks of a trace.dat whose events were lost, or lie on another page */
};

struct output_dir;

/* A walk through the events of a trace, and what is known at the moment that it has come to. */
struct event_rows {
	/* given by whoever makes it */
	/* As sonde_iter_next(), and the trace of the event; sets err. */
	int (*next)(void *ctx, const struct sonde_event **ev, size_t *input);
	const struct tracefmt *(*formats)(void *ctx, size_t input);   /* those that are known so far; NULL: none */
	void *ctx;
	struct row_input *inputs;        /* times are by the clock of the first one */
	size_t nr_inputs;
	struct symbols *symbols;         /* borrowed */
	struct sonde_events_opts opts;   /* complete: members that the program's struct lacks are 0 */
	struct buf *out;                 /* of a format that is written to an output */
	struct output_dir *dir;          /* of one that is a directory */
	void *target;                    /* of one that is neither */
	struct sonde_error *err;
	/* the state */
	struct moment moment;
	struct places places;
	struct stacks stacks;            /* frames are those of places */
	struct source_lines *lines;
	struct unwind_images *images;
	struct chain_finder chains;
	struct row_input *at;            /* the input of the row at hand */
	struct event_row row;
	VEC(struct event_source *) sources;     /* by number */
	VEC(struct row_space) spaces;    /* the first is the machine of the first input */
	struct u64map space_of;          /* host << 32 | machine */
	struct u64map pid_of;            /* of several inputs: space << 32 | tid -> the process, as one of them tells */
	struct loaded_event completed;   /* an event with the pid that another input of its machine knows */
	struct arena arena;
	struct strpool names;
	uint64_t start;                  /* time of the first row that has one; SONDE_NONE: none had */
	uint64_t nr_rows, nr_samples;
	struct row_gaps gaps;
};

/* 0 or -SONDE_NOMEM. What was given is kept, also when it fails. */
int event_rows_init(struct event_rows *e);
void event_rows_free(struct event_rows *e);

/* The next row: 1, 0 at the end, or negative with an error. */
int event_rows_next(struct event_rows *e, const struct event_row **out);

/* The stack of a sample, whether it has a callchain or an address only; 0: neither. UINT32_MAX: out of memory. */
uint32_t event_rows_stack(struct event_rows *e, const struct event_row *row);

/* Whether a record tells of events that were lost; a throttled event lost none that anybody counted. */
static inline bool event_row_is_loss(const struct event_row *row)
{
	return strcmp(row->kind, "lost") == 0;
}

/* The function at a sample's address: the symbol, not what was inlined into it; NULL if it has no address. */
static inline const struct place_frame *event_rows_function(const struct event_rows *e, const struct event_row *row)
{
	return row->place ? places_outermost(&e->places, row->place) : NULL;
}

/* The trace whose clock the times are by: its format and metadata stand for all. */
static inline const struct reader *event_rows_reader(const struct event_rows *e)
{
	return e->inputs[0].reader;
}

/* Appends the name of a machine: the host's, or "guest 1234" of the host with a process of that number. */
void event_rows_space_name(const struct event_rows *e, uint32_t space, struct buf *out);

/* Members of a JSON object about an input: its number, path, format, host, and how its times are aligned. */
void event_rows_input_json(const struct event_rows *e, size_t input, struct buf *out);

/* The name of the clock: "monotonic", "perf", "local". */
const char *event_rows_clock(const struct event_rows *e);

/* Nanoseconds since 1970 at a time of the trace; SONDE_NONE if the trace does not say. */
uint64_t event_rows_wall_time(const struct event_rows *e, uint64_t time);

/* Events that the recorder lost, as far as the walk has come. */
uint64_t event_rows_lost(const struct event_rows *e);

/* Members of a JSON object: the clock and, if a row had a time, the zero of all times; the sums up to the last row. */
void event_rows_clock_json(const struct event_rows *e, struct buf *out);
void event_rows_sums_json(const struct event_rows *e, struct buf *out);

/* Further members: how many samples are not wholly in their place; none if all are. */
void event_rows_gaps_json(const struct event_rows *e, struct buf *out);

/* Nanoseconds since the first row that had a time. */
static inline int64_t event_rows_since(const struct event_rows *e, uint64_t time)
{
	return (int64_t)(time - e->start);
}

#endif
