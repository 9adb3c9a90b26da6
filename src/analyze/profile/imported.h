/* SPDX-License-Identifier: MIT */
/*
 * imported.h - samples that another program has gathered and symbolised come into a profile
 *
 * Functions come by frames_add_named(), tasks by profile_task_add(). profile_end_trace() follows the last sample.
 */
#ifndef ANALYZE_PROFILE_IMPORTED_H
#define ANALYZE_PROFILE_IMPORTED_H

#include "analyze/profile/gathering.h"

/* The samples that follow are those of another file. @chains: they have stacks. 0 or -SONDE_NOMEM. */
int imported_begin(struct gathering *p, bool chains);

/* The number of the event of that name; UINT32_MAX when out of memory. @is_ns: its periods are nanoseconds. */
uint32_t imported_event(struct gathering *p, struct sonde_str name, bool is_ns);

/* A stack, built from the outermost frame inwards. {0} is the empty one. */
struct imported_stack {
	uint32_t number;             /* in the profile; without callchains 0 */
	uint32_t function;           /* the frame that was interrupted: an inlined one stands for the one around it */
	uint32_t depth;              /* frames, without inlined ones */
};

/* @outer with one more frame inside. 0 or -SONDE_NOMEM. */
int imported_push(struct gathering *p, const struct imported_stack *outer, uint32_t frame,
		  struct imported_stack *out);

/* Whether imported_innermost() has to build the stack that is kept: it has more frames than the profile keeps. */
bool imported_is_too_long(const struct gathering *p, const struct imported_stack *s);

/* As many frames, the innermost first, as are kept of a stack that is too long. 0 or -SONDE_NOMEM. */
int imported_innermost(struct gathering *p, const uint32_t *frames, size_t n, struct imported_stack *s);

struct imported_sample {
	uint32_t event, task;
	struct imported_stack stack;
	uint64_t samples, period;
	uint64_t time;               /* ns; SONDE_NONE: not known */
};

/* 0, -SONDE_NOMEM, or -SONDE_CORRUPT: the sum of the event would be beyond 64 bits, and nothing was added. */
int imported_sample(struct gathering *p, const struct imported_sample *s);

#endif
