/* SPDX-License-Identifier: MIT */
/* frame.h - from a frame to its caller's, by a rule of CFI */
#ifndef UNWIND_FRAME_H
#define UNWIND_FRAME_H

#include "unwind/images.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

/* How a stack ends. */
enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_COMPLETE,             /* at the start of the process or thread */
	UNWIND_CUT,                  /* the copy of the stack is too short */
	UNWIND_NO_CFI,               /* no table has the address */
	UNWIND_ERROR,                /* the tables and the stack do not agree */
	UNWIND_URETPROBE,            /* the kernel keeps the return address */
	UNWIND_TOO_DEEP,             /* more frames than wanted */
};

/*
 * Makes @regs those of the caller. @innermost: the frame was interrupted, so its return address may still be in a
 * register. @cfa: of the frame, where it goes on.
 */
enum unwind_end frame_unwind(const struct unwind_cpu *cpu, const struct unwind_found *found, struct unwind_memory *m,
			     bool innermost, struct unwind_registers *regs, uint64_t *cfa);

/* Whether the rule says that nothing called the function. */
bool frame_is_outermost(const struct unwind_rule *rule);

/* Where the return address of a frame is on the stack, whether that can be read or not; false if it is not there. */
bool frame_return_place(const struct unwind_cpu *cpu, const struct unwind_found *found, struct unwind_memory *m,
			const struct unwind_registers *regs, uint64_t *addr);

#endif
