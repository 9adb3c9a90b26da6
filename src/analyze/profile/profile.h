/* SPDX-License-Identifier: MIT */
/* profile.h - samples counted by event, task, function and stack; see sonde/profile.h for the tables. */
#ifndef ANALYZE_PROFILE_PROFILE_H
#define ANALYZE_PROFILE_PROFILE_H

#include <stdatomic.h>

#include <sonde/profile.h>

#include "analyze/branches/basic_blocks.h"
#include "analyze/branches/branch_kinds.h"
#include "analyze/profile/details.h"
#include "analyze/profile/field_counts.h"
#include "analyze/profile/parallelism.h"
#include "analyze/profile/sample_batch.h"
#include "analyze/profile/timed_samples.h"
#include "analyze/profile/trace_fields.h"
#include "analyze/profile/tracks.h"
#include "analyze/stacks/stacks.h"
#include "io/output.h"
#include "resolve/chain.h"
#include "resolve/moment.h"
#include "symbol/data_types.h"
#include "symbol/list/code_changes.h"
#include "threads/maps_history.h"

/* Counts of an event that are known when its samples have been counted. */
struct late_counts {
	uint64_t taken, taken_period;            /* of samples that came as records */
	uint64_t samples, period, latency;       /* left out */
	uint64_t cut_stacks, shortened_stacks;
	uint64_t ends[UNWIND_TOO_DEEP + 1];      /* of stacks, by enum unwind_end */
};

/* From the first sample to the last one; SONDE_NONE: none had a time. */
struct times { uint64_t first, last; };
#define NO_TIMES ((struct times){ SONDE_NONE, SONDE_NONE })

static inline void times_note(struct times *t, uint64_t time)
{
	if (time == SONDE_NONE)
		return;
	if (t->first == SONDE_NONE || time < t->first)
		t->first = time;
	if (t->last == SONDE_NONE || time > t->last)
		t->last = time;
}

/* Instructions per cycle of a function, and the percentage of its instructions that blocks with cycles cover. */
struct function_ipc {
	struct block_function function;
	bool known;
	double ipc, coverage;
};

struct sonde_profile {
	struct moment moment;            /* that the events have come to */
	struct symbols *symbols;         /* owned */
	struct source_lines *lines;      /* owned; NULL: nobody asks for inlined functions and lines */
	struct frames frames;
	struct stacks stacks;
	struct strpool names;            /* of comms and events */
	VEC(struct sonde_profile_event) events;
	VEC(struct sonde_profile_task) who;
	VEC(const char *) hosts;         /* machines of the traces, by number; NULL: the first one has no name */
	uint32_t host;                   /* of the trace at hand */
	struct hash_index who_index;
	/* machine << 32 | tid -> index in who of a thread that had samples before its first COMM */
	struct u64map unnamed;
	VEC(struct sonde_profile_cell) cells;
	struct hash_index cell_index;
	struct timed_samples timed;
	struct tracks tracks;
	struct field_counts field_counts;    /* as long as there are tracks */
	bool tracks_need_events;         /* the trace at hand has tracepoints, whose fields tracks need */
	VEC(uint32_t) event_of_evsel;    /* of the trace at hand: event + 1 */
	struct u64map evsels_of_name;    /* of the trace at hand: how many by number of the name */
	struct u64map event_of_name;     /* by number of the name << 32, and how many of that name came before */
	VEC(const char *) dso_names;     /* by index of the binary: what perf calls it */
	uint64_t *samples_of_binary;     /* by index: room for sums, so that making them later cannot fail */
	VEC(const char *) comms;         /* to take; none: all */
	VEC(int32_t) pids, tids;         /* the same */
	struct unwind_images *images;
	bool stitch_lbr;
	struct call_stacks call_stacks;  /* of stitch_lbr: of the trace at hand */
	struct chain_finder chains;      /* of samples that are read as events */
	bool out_of_memory;              /* the tables are not whole */
	bool settled;                /* no event has come since the tables were made complete */
	atomic_bool stopped;             /* by sonde_profile_stop() */
	struct sonde_error err;          /* of the last call */
	struct sonde_error refusal;      /* of the options: every call fails with it */
	VEC(struct file_id) inputs;      /* files that traces were read from */
	struct u64map last_comms;        /* number of the name that a thread was given last, by machine and tid */
	bool callchains, callchains_if_any, named_only;
	bool branches, branches_if_any;  /* branches are counted in place of samples */
	bool weights;
	bool stack_branches;             /* branches belong to the stacks */
	bool branch_history;             /* the same, and their flags and cycles are summed up */
	bool wants_blocks, has_blocks;   /* has: an event at hand was recorded with branches that show blocks */
	bool inlined;                    /* of callchains: a sample without one needs no DWARF */
	uint32_t by;                     /* SONDE_BY_* */
	uint64_t time_step_ns;           /* of SONDE_BY_TIME */
	bool any_task;                   /* all cells are of task 0 */
	bool dated_steps;                /* which begin at multiples since 1970 */
	VEC(int32_t) sockets;            /* to take; none: all */
	uint32_t threads;                /* as the options say */
	struct details details;
	struct basic_blocks blocks;
	struct branch_kinds branch_kinds;        /* of branches that are counted */
	struct code_changes code_changes;        /* of SONDE_BY_SYMBOL_OFFSET */
	VEC(struct function_ipc) ipc;    /* of sonde_profile_find_ipc(): by function */
	VEC(struct sonde_profile_block) block_rows;    /* that were handed out last */
	struct trace_fields trace_fields;
	bool raw_trace, trace_if_only;
	bool trace_only;                 /* trace_if_only, and all events are tracepoints */
	const struct tracefmt *trace_formats;    /* of the trace at hand, if its texts are asked for; or NULL */
	struct data_types *data_types;   /* owned; NULL: nobody asks for them */
	enum types_fusing fusing;        /* of the CPU of the trace at hand */
	bool fusing_known;
	struct parallelism parallelism;
	VEC(struct late_counts) late;    /* by event: of the trace at hand */
	struct times times;              /* of samples of the trace at hand */
	struct times late_times;         /* of those that came as records */
	VEC(struct times) spans;         /* of the traces before it: those that overlap are one */
	/* frames, stacks, cells, memo, late and late_times are those of its threads until they have ended */
	struct sample_batches batches;
	struct batched_roots roots_in_batch[MOMENT_TASKS];  /* of moment.known */
	struct cell_memo memo;           /* of samples with the numbers as they are now */
	size_t compact_rows, compact_bytes;      /* after the last decay that left rows out */
	struct sonde_profile_frame frame;        /* that was handed out last */
	struct sonde_profile_nameless nameless;  /* the same */
	VEC(struct sonde_profile_dso_note) dso_notes;  /* the same */
	VEC(struct sonde_profile_binary) binaries;     /* the same */
	struct arena binary_texts;               /* of binaries */
	struct annotated_functions *annotated;   /* owned; of sonde_annotate(), until the profile changes; or NULL */
};

/* Takes symbols over, also when it fails. */
int profile_init(struct sonde_profile *p, const struct sonde_profile_opts *opts, struct symbols *symbols);
void profile_free(struct sonde_profile *p);

/* The tables become complete: a trace has ended, or a live one is looked at. */
int profile_end_trace(struct sonde_profile *p);

/* The trace has ended: gives back the memory that only samples need which are still to be counted. */
void profile_end_counting(struct sonde_profile *p);

static inline bool profile_is_counting(const struct sonde_profile *p)
{
	return p->frames.recent;
}

/*
 * Another trace begins: tasks and evsels are numbered anew. @formats: of a trace that names its kernel's functions;
 * or NULL
 */
int profile_begin_trace(struct sonde_profile *p, const struct tracefmt *formats);

/* The trace at hand ends: its times are known, no other one is at hand. 0 or -SONDE_NOMEM. */
int profile_end_span(struct sonde_profile *p);

/* Takes in an event; feed all in time order. 0 or -SONDE_NOMEM. */
int profile_event(struct sonde_profile *p, const struct sonde_event *ev, const struct meta *meta);

/* Whether something besides address, stack, task and CPU tells cells apart: see analyze/profile/sample_details.h. */
static inline bool profile_has_details(const struct sonde_profile *p)
{
	return p->branches || p->weights ||
	       p->by & ~(uint32_t)(SONDE_BY_CPU | SONDE_BY_SRCLINE | SONDE_BY_SYMBOL_OFFSET);
}

/* The moment of the code that runs in a mode now: see symbol/list/code_changes.h. */
static inline uint64_t profile_code_moment(const struct sonde_profile *p, uint8_t cpumode)
{
	return cpumode == CPUMODE_KERNEL ? p->code_changes.list.n : 0;
}

/* The function of that number. */
void profile_frame(const struct sonde_profile *p, size_t number, struct sonde_profile_frame *out);

#endif
