/* SPDX-License-Identifier: MIT */
/*
 * recorded_callers.h - callers that were recorded beside a copy of the stack: by the kernel, which followed frame
 * pointers, or by the processor, which kept a call stack of branches
 *
 * Neither kind has positions, and equal addresses follow each other where functions recurse. Frame records are found
 * again in the copy: the n-th record has the n-th return address. Calls are compared with the frames that were unwound.
 */
#ifndef UNWIND_RECORDED_CALLERS_H
#define UNWIND_RECORDED_CALLERS_H

#include "model/event.h"
#include "unwind/cpu.h"
#include "unwind/memory.h"

struct recorded_callers {
	const struct sample *sample;
	bool are_branches;           /* the sample's branches, not its callchain */
	uint64_t at, end;            /* the entries from the caller of the last unwound frame on */
};

/*
 * Callers by frame pointers, after the frame whose record is at @record, which may lie above the copy. @first: the
 * frame pointer of the sample. False if the callchain does not go there, or is not that of this stack.
 */
bool recorded_callers_by_record(struct recorded_callers *c, const struct sample *s, const struct unwind_cpu *cpu,
				struct unwind_memory *m, uint64_t first, uint64_t record);

/*
 * Callers by branches, after the last of the @nr frames: @ips has a caller's return address minus 1. The calls that
 * led to the frames must be among them; without callers, one to @function, where the innermost frame begins (0 if that
 * is not known). False if they are not, or may be at several places.
 */
bool recorded_callers_by_calls(struct recorded_callers *c, const struct sample *s, const struct unwind_cpu *cpu,
			       struct unwind_memory *m, const uint64_t *ips, size_t nr, uint64_t function);

/* The address in a caller to look up. */
uint64_t recorded_caller_at(const struct recorded_callers *c, const struct unwind_cpu *cpu, uint64_t i);

#endif
