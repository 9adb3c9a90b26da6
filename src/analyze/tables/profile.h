/* SPDX-License-Identifier: MIT */
/*
 * profile.h - the tables of a profile; see sonde/profile.h
 *
 * Rows refer to one another by number. analyze/profile gathers them, and is done when somebody looks at them: rows,
 * annotations, exporters and the interface read them, and include nothing of the gathering.
 *
 *	traces --> analyze/profile: struct gathering --> struct sonde_profile --> rows, annotations, exporters
 *
 *	cells --+-- event  --> events
 *	        +-- task   --> who --> hosts
 *	        +-- frame  --> frames --> binaries of `tasks`
 *	        +-- stack  --> stacks: its frame, and the stack around it
 *	        +-- detail --> details --> data_types, trace_fields, frames
 *	timed: a cell for each sample
 */
#ifndef ANALYZE_TABLES_PROFILE_H
#define ANALYZE_TABLES_PROFILE_H

#include <sonde/profile.h>

#include "analyze/branches/basic_blocks.h"
#include "analyze/branches/branch_kinds.h"
#include "analyze/stacks/stacks.h"
#include "analyze/tables/details.h"
#include "analyze/tables/field_counts.h"
#include "analyze/tables/parallelism.h"
#include "analyze/tables/timed_samples.h"
#include "analyze/tables/trace_fields.h"
#include "analyze/tables/tracks.h"
#include "io/output.h"
#include "symbol/data_types.h"
#include "symbol/list/code_changes.h"
#include "threads/tasks.h"

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

/* The values that tell cells apart, and the things that these count. */
struct profile_kept {
	uint32_t by;                     /* SONDE_BY_* */
	uint64_t time_step_ns;           /* of SONDE_BY_TIME */
	bool callchains;
	bool branches;                   /* branches are counted in place of samples */
	bool branch_history;             /* branches belong to the stacks, and their flags and cycles are summed up */
	bool weights;
	bool raw_trace;                  /* fields of tracepoints are not as the text of the record has them */
	bool trace_only;                 /* all events are tracepoints, and their texts or fields are the usual keys */
	VEC(const char *) comms;         /* that were taken; none: all */
};

/* Answers to calls that look through the tables; each is valid until the next call of its kind. */
struct profile_found {
	struct sonde_profile_frame frame;
	struct sonde_profile_nameless nameless;
	VEC(struct sonde_profile_dso_note) dso_notes;
	VEC(struct sonde_profile_binary) binaries;
	struct arena binary_texts;       /* of binaries */
	VEC(struct sonde_profile_block) block_rows;
	struct annotated_functions *annotated;   /* owned; of sonde_annotate(), until the profile changes; or NULL */
	uint64_t *samples_of_binary;     /* by index: room for sums, so that making them later cannot fail */
};

struct sonde_profile {
	struct profile_kept kept;
	struct symbols *symbols;         /* owned */
	struct source_lines *lines;      /* owned; NULL: nobody asks for inlined functions and lines */
	const struct tasks *tasks;       /* at the end, with the binaries of all times */
	const char *arch;                /* of the machine of the last recording */
	struct strpool names;            /* of comms and events */
	VEC(struct sonde_profile_event) events;
	VEC(struct sonde_profile_task) who;
	VEC(const char *) hosts;         /* machines of the traces, by number; NULL: the first one has no name */
	struct u64map last_comms;        /* number of the name that a thread was given last, by profile_thread_key() */
	VEC(const char *) dso_names;     /* by index of the binary: what perf calls it */
	struct frames frames;
	struct stacks stacks;
	VEC(struct sonde_profile_cell) cells;
	struct details details;
	struct data_types *data_types;   /* owned; NULL: nobody asks for them */
	struct trace_fields trace_fields;
	struct code_changes code_changes;        /* of SONDE_BY_SYMBOL_OFFSET */
	struct parallelism parallelism;
	struct timed_samples timed;
	struct tracks tracks;
	struct field_counts field_counts;        /* as long as there are tracks */
	struct basic_blocks blocks;
	struct branch_kinds branch_kinds;        /* of branches that are counted */
	VEC(struct function_ipc) ipc;    /* of sonde_profile_find_ipc(): by function */
	struct times times;              /* of samples of the last trace */
	VEC(struct times) spans;         /* of the traces before it: those that overlap are one */
	VEC(struct file_id) inputs;      /* files that traces were read from */
	bool out_of_memory;              /* the tables are not whole */
	struct profile_found found;
};

/* Frees all that the tables own. */
void profile_tables_free(struct sonde_profile *p);

/* Guests are few, and so are machines: their numbers share a word. */
static inline uint64_t profile_thread_key(uint32_t host, int32_t machine, int32_t tid)
{
	return (uint64_t)((uint32_t)machine ^ host << 24) << 32 | (uint32_t)tid;
}

/* The last name of a task; it may have had another one when it was sampled. */
const char *profile_last_comm(const struct sonde_profile *p, const struct sonde_profile_task *task);

/* The function of that number. */
void profile_frame(const struct sonde_profile *p, size_t number, struct sonde_profile_frame *out);

static inline bool times_overlap(const struct times *a, const struct times *b)
{
	return a->first <= b->last && b->first <= a->last;
}

#endif
