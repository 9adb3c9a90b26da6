/* SPDX-License-Identifier: MIT */
/*
 * tracks.h - what a recording tells besides samples, by time: scheduling, wakeups, tracepoints, counts, frequencies,
 * losses
 *
 * It is gathered while a profile takes in the events, of the host's threads; memory is bounded by `most`.
 */
#ifndef ANALYZE_TABLES_TRACKS_H
#define ANALYZE_TABLES_TRACKS_H

#include "analyze/tables/track_counts.h"
#include "analyze/tables/track_states.h"
#include "base/buf.h"
#include "model/reader.h"
#include "threads/tasks.h"
#include "tracefmt/tracefmt.h"

enum {
	TRACKS_CHANGES_MOST = 2000000, TRACKS_MARKS_MOST = 100000, TRACKS_LOSSES_MOST = 5000,
	TRACKS_TEXT_MOST = 4 << 20,  /* bytes of all marks */
};

/* A tracepoint that is shown as such. */
struct track_mark {
	uint64_t time;
	uint32_t thread;             /* in sched.states.tasks; UINT32_MAX: an idle CPU, or not known */
	int32_t cpu;
	uint32_t event, text;        /* in `texts` */
};

/* A CPU has a new frequency. */
struct track_frequency {
	uint64_t time, khz;
	int32_t cpu;
};

/* Events were lost before this time. */
struct track_loss {
	uint64_t time;
	uint64_t count;              /* SONDE_NONE: not known */
	int32_t cpu;
};

struct track_source;

struct tracks {
	bool on;
	struct track_states sched;
	struct sched_decoder decoder;        /* of the trace at hand */
	VEC(struct track_mark) marks;
	uint64_t nr_marks;           /* also of those that were not kept because there were too many */
	struct track_counts counts;
	VEC(struct track_frequency) frequencies;
	VEC(struct track_loss) losses;       /* the first ones */
	struct strpool texts;
	struct buf text;             /* of one record */
	VEC(struct track_source) sources;    /* by index of the evsel of the trace at hand */
};

/* How an event of the evlist is shown; {0} if that is not known yet. */
struct track_source {
	bool known, tells_states;
	int (*take)(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
		    struct sonde_bytes raw);
	const struct tracefmt_event *format;
	const struct sonde_tracepoint_field *fields[2];
	uint32_t name;
};

/* Before the events of a trace: finds out of which tasks it is, which may read it once. 0 or negative. */
int tracks_begin_trace(struct tracks *t, struct reader *r, const struct tracefmt *formats, struct sonde_error *err);

/* Whether samples of an event are needed as events, not only by their heads. */
bool tracks_expect(const struct tracks *t, const struct sonde_evsel *evsel);

/* Takes in an event; formats: NULL if none are known. 0 or -SONDE_NOMEM. */
int tracks_take(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats);

/*
 * A trace ends: its threads get the names that @tasks has, its evsels mean nothing any more, and every list is in order
 * of time with those of the traces before. 0 or -SONDE_NOMEM.
 */
int tracks_end_trace(struct tracks *t, const struct tasks *tasks);

void tracks_free(struct tracks *t);

#endif
