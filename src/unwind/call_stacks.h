/* SPDX-License-Identifier: MIT */
/*
 * call_stacks.h - the call stacks of branches that the samples of threads had last (--stitch-lbr)
 *
 * A processor keeps the newest calls only, 8 to 32. Older ones are in an earlier sample of the thread, if both samples
 * have some calls in common, in the same registers of the processor.
 */
#ifndef UNWIND_CALL_STACKS_H
#define UNWIND_CALL_STACKS_H

#include "base/u64map.h"
#include "model/event.h"
#include "model/meta.h"

struct call_stack;

/* {0} knows no thread. */
struct call_stacks {
	VEC(struct call_stack *) stacks;
	struct u64map of_thread;       /* machine << 32 | tid -> index in stacks */
	const struct meta *meta;       /* whose PMU capabilities were looked at last */
	uint64_t registers;            /* branches that the processor keeps; 0: not recorded */
};

/*
 * The branches of a sample with the older calls that are known. @s: as decoded from its event; give every sample of a
 * thread, in order of time. @out: valid until the next call for the thread. 0 or -SONDE_NOMEM.
 */
int call_stacks_stitch(struct call_stacks *c, const struct meta *meta, int32_t machine, const struct sample *s,
		       struct branches *out);

void call_stacks_free(struct call_stacks *c);

#endif
