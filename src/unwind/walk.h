/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the user part of the callchain of a sample, from its registers and the copy of its stack
 *
 * Each thread that unwinds has an unwinder of its own; all of them may share the images and the maps. A version of
 * the maps never changes, so one thread may apply records to the tasks while others unwind with earlier versions. The
 * order in which threads unwind does not change any result.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "base/vec.h"
#include "unwind/frame.h"

struct unwind_slot;

/* {0} with images is a new one. */
struct unwinder {
	struct unwind_images *images;  /* borrowed; those of the trace at hand */
	struct unwind_slot *slots;     /* addresses that were looked up lately; NULL: none yet */
	VEC(uint64_t) ips;             /* of the last stack; a caller's is its return address minus 1 */
	enum unwind_end end;           /* of the last stack */
	uint64_t at, bytes;            /* where the stack began, and how much of it was taken to come there */
	VEC(uint64_t) chain;           /* see unwind_sample() */
};

void unwinder_free(struct unwinder *u);

/*
 * Fills ips, end and bytes. @arch: of the recording machine; @maps: of the task; @most: frames that are wanted.
 * 0, -SONDE_MISSING if the sample has no registers that are understood, or -SONDE_NOMEM.
 */
int unwind_walk(struct unwinder *u, const struct sample *s, const char *arch, bool in_kernel, maps_root maps,
		uint32_t most);

/*
 * The callchain of a sample with what unwinding found in place of its user part. Where the copy of the stack shows no
 * more, callers of the recorded callchain or of a call stack of branches follow if they are beyond doubt the next ones;
 * end tells how the whole stack ended. Without a copy, a call stack of branches is that part, and end stays
 * UNWIND_GOES_ON; without both it is as recorded. Valid until the next call. 0 or -SONDE_NOMEM.
 */
int unwind_sample(struct unwinder *u, const struct sample *s, const char *arch, bool in_kernel, maps_root maps,
		  uint32_t most, struct u64s *out);

#endif
