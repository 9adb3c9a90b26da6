/* SPDX-License-Identifier: MIT */
/*
 * jit_code.h - the code that a process makes while it runs, as the compiler in it says in a jitdump
 *
 * A jitdump has a copy of each function and the time at which it came to its address. Each function is a mapping of
 * the dump: its file offset is where the dump has the copy of the code. So an address that several functions had, one
 * after the other, is looked up as every other address, by the maps of the moment.
 */
#ifndef THREADS_JIT_CODE_H
#define THREADS_JIT_CODE_H

#include "threads/maps.h"

/* At @time the code at @offset of the dump came to [start, end). */
struct jit_change {
	uint64_t time, start, end, offset;
};

/* The changes that a dump tells, in the order of their times. */
struct jit_changes {
	const struct jit_change *at;
	size_t n;
	bool other_clock;            /* the times are counts of a processor's clock, not of CLOCK_MONOTONIC */
};

/* A reader of dumps. */
struct jit_source {
	/* NULL: the dump cannot be read. What is returned lives as long as the source. */
	const struct jit_changes *(*open)(struct jit_source *source, const struct binary *dump);
	/* the times of a dump that was opened cannot be compared with those of the samples */
	void (*untimed)(struct jit_source *source, const struct binary *dump);
	uint32_t nr_late;            /* dumps that could be read later, but not when they were opened */
};

/* The code of a process. {0} is none. */
struct jit_code {
	struct binary *dump;         /* NULL: the process has none */
	const struct jit_changes *changes;
	size_t next;                 /* the first change that has not been applied */
	bool opened;
	uint32_t nr_late;            /* of the source, when the dump was opened */
	maps_root anonymous;         /* anonymous memory that the process has mapped */
};

/**
 * jit_code_advance - map the code of a process that has a dump as it is at a moment
 * @time: on CLOCK_MONOTONIC; SONDE_NONE: on another clock, so the last code of each address stands for all
 * Returns 1 if @maps has changed, 0 if not, or -SONDE_NOMEM.
 */
int jit_code_advance(struct jit_code *code, struct jit_source *source, struct maps_pool *pool, uint64_t time,
		     maps_root *maps);

/*
 * Maps memory of a process that has a dump. A recorder also tells when the access to anonymous memory has changed,
 * which makes no code vanish. 0 or -SONDE_NOMEM.
 */
int jit_code_map(struct jit_code *code, struct maps_pool *pool, const struct mapping *m, maps_root *maps);

#endif
