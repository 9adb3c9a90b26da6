/* SPDX-License-Identifier: MIT */
/*
 * callchain.h - from address to address of a callchain, each with the mode of the CPU in which it ran
 *
 * A caller's address is where its call returns to. The instruction there may be of another line, of another inlined
 * function, and after a call that never returns even of another function: the byte before it is looked up. An
 * interrupted instruction, which nothing has called, is looked up as it is.
 */
#ifndef THREADS_CALLCHAIN_H
#define THREADS_CALLCHAIN_H

#include "model/event.h"
#include "threads/tasks.h"

/* Which addresses of a callchain are those of callers; {0} at its begin. */
struct caller_rule {
	bool calls;                  /* the next address is a caller's */
	bool unwound;                /* by us: the addresses of the user part are those to look up */
};

/* Whether the address at hand is a caller's, so that the byte before it is looked up. */
static inline bool caller_rule_next(struct caller_rule *r, uint8_t cpumode)
{
	bool calls = r->calls && !(r->unwound && cpumode == CPUMODE_USER);

	r->calls = true;
	return calls;
}

/* The next address was interrupted: a marker precedes it, or the function that the kernel makes a handler return to. */
static inline void caller_rule_interrupted(struct caller_rule *r)
{
	r->calls = false;
}

/* A walk along a callchain, innermost first, that keeps count of the context markers. */
struct callchain {
	struct u64s ips;
	uint64_t next;
	struct caller_rule rule;
	uint8_t cpumode;
	bool is_caller;              /* the address at hand */
	bool bad;                    /* a marker is not known: the rest makes no sense */
};

/* True and an ip with its cpumode; false at the end. Markers and the cookie of a deferred chain are passed over. */
bool callchain_next(struct callchain *c, uint64_t *ip, uint8_t *cpumode);

#endif
