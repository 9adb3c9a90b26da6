/* SPDX-License-Identifier: MIT */
/*
 * gathering.h - a profile that is being gathered: its tables, and what only the gathering looks at
 *
 * Nobody outside of this folder but the interface and import may hold one: the others see the tables
 * (analyze/tables/profile.h), with which it begins.
 */
#ifndef ANALYZE_PROFILE_GATHERING_H
#define ANALYZE_PROFILE_GATHERING_H

#include <stdatomic.h>

#include "analyze/profile/cell_memo.h"
#include "analyze/profile/sample_batch.h"
#include "analyze/tables/profile.h"
#include "resolve/chain.h"
#include "resolve/moment.h"
#include "threads/maps_history.h"

/* Counts of an event that are known when its samples have been counted. */
struct late_counts {
	uint64_t taken, taken_period;            /* of samples that came as records */
	uint64_t samples, period, latency;       /* left out */
	uint64_t cut_stacks, shortened_stacks;
	uint64_t ends[UNWIND_TOO_DEEP + 1];      /* of stacks, by enum unwind_end */
};

/* Options that decide what is taken; those that readers of the tables need are in struct profile_kept. */
struct gathering_wants {
	VEC(int32_t) pids, tids;         /* to take; none: all */
	VEC(int32_t) sockets;            /* the same */
	bool callchains_if_any, branches_if_any;
	bool stack_branches;             /* branches belong to the stacks */
	bool blocks;
	bool named_only;
	bool inlined;                    /* of callchains: a sample without one needs no DWARF */
	bool stitch_lbr;
	bool trace_if_only;
	bool dated_steps;                /* which begin at multiples since 1970 */
	bool any_task;                   /* all cells are of task 0 */
	uint32_t threads;                /* as the options say */
};

/* The state that begins anew with each trace. */
struct gathering_trace {
	uint32_t host;
	/* machine << 32 | tid -> index in who of a thread that had samples before its first COMM */
	struct u64map unnamed;
	VEC(uint32_t) event_of_evsel;    /* event + 1 */
	struct u64map evsels_of_name;    /* how many by number of the name */
	bool has_blocks;                 /* an event was recorded with branches that show blocks */
	bool tracks_need_events;         /* it has tracepoints, whose fields tracks need */
	const struct tracefmt *formats;  /* if its texts are asked for; or NULL */
	struct call_stacks call_stacks;  /* of stitch_lbr */
	enum types_fusing fusing;        /* of the CPU */
	bool fusing_known;
	VEC(struct late_counts) late;    /* by event */
	struct times late_times;         /* of samples that came as records */
};

struct gathering {
	union {
		struct sonde_profile;
		struct sonde_profile profile;
	};
	struct gathering_wants wants;
	struct gathering_trace trace;
	struct moment moment;            /* that the events have come to */
	struct unwind_images *images;
	struct chain_finder chains;      /* of samples that are read as events */
	struct hash_index who_index, cell_index;
	struct u64map event_of_name;     /* by number of the name << 32, and how many of that name came before */
	/* frames, stacks, cells, memo, late and late_times are those of its threads until they have ended */
	struct sample_batches batches;
	struct batched_roots roots_in_batch[MOMENT_TASKS];  /* of moment.known */
	struct cell_memo memo;           /* of samples with the numbers as they are now */
	size_t compact_rows, compact_bytes;      /* after the last decay that left rows out */
	bool settled;                    /* no event has come since the tables were made complete */
	atomic_bool stopped;             /* by sonde_profile_stop() */
	struct sonde_error err;          /* of the last call */
	struct sonde_error refusal;      /* of the options: every call fails with it */
};

/* Every profile is the first member of its gathering. */
static inline struct gathering *gathering_of(struct sonde_profile *p)
{
	return (struct gathering *)p;
}

/* Takes symbols over, also when it fails. */
int gathering_init(struct gathering *p, const struct sonde_profile_opts *opts, struct symbols *symbols);
void gathering_free(struct gathering *p);

/* The tables become complete: a trace has ended, or a live one is looked at. */
int profile_end_trace(struct gathering *p);

/* The trace has ended: gives back the memory that only samples need which are still to be counted. */
void profile_end_counting(struct gathering *p);

static inline bool profile_is_counting(const struct gathering *p)
{
	return p->frames.recent;
}

/*
 * Another trace begins: tasks and evsels are numbered anew. @formats: of a trace that names its kernel's functions;
 * or NULL
 */
int profile_begin_trace(struct gathering *p, const struct tracefmt *formats);

/* The trace at hand ends: its times are known, no other one is at hand. 0 or -SONDE_NOMEM. */
int profile_end_span(struct gathering *p);

/* Takes in an event; feed all in time order. 0 or -SONDE_NOMEM. */
int profile_event(struct gathering *p, const struct sonde_event *ev, const struct meta *meta);

/* Whether something besides address, stack, task and CPU tells cells apart: see analyze/profile/sample_details.h. */
static inline bool profile_has_details(const struct gathering *p)
{
	return p->kept.branches || p->kept.weights ||
	       p->kept.by & ~(uint32_t)(SONDE_BY_CPU | SONDE_BY_SRCLINE | SONDE_BY_SYMBOL_OFFSET);
}

/* The moment of the code that runs in a mode now: see symbol/list/code_changes.h. */
static inline uint64_t profile_code_moment(const struct gathering *p, uint8_t cpumode)
{
	return cpumode == CPUMODE_KERNEL ? p->code_changes.list.n : 0;
}

#endif
