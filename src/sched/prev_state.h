/* SPDX-License-Identifier: MIT */
/*
 * prev_state.h - the state in which a task leaves its CPU, as the kernel of a recording reports it
 *
 * The bits of prev_state have changed (Linux 4.14 swapped Z and X, and moved the bit of preemption), so the letters are
 * those of the event's own print format: __print_flags(REC->prev_state & ..., "|", { 1, "S" }, { 2, "D" }, ...). Bits
 * above the highest one that has a letter say that the task was preempted.
 */
#ifndef SCHED_PREV_STATE_H
#define SCHED_PREV_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefmt/tracefmt.h"

enum { PREV_STATE_LETTERS_MOST = 16 };

struct prev_state_letters {
	uint32_t nr;
	struct { uint64_t bit; char letter; } at[PREV_STATE_LETTERS_MOST];
	uint64_t above;              /* the bits that have no letter because they are higher than those that have one */
};

/* The letters of a sched:sched_switch; those of Linux 4.14 and later where its print format has none. */
void prev_state_letters(const struct tracefmt_event *sched_switch, struct prev_state_letters *out);

/*
 * "S" asleep, "D" waits without being interrupted, "R" ready, "R+" preempted, "X" and "Z" dead, "I" an idle thread of
 * the kernel, ... Of several letters the one of the lowest bit. A constant.
 */
const char *prev_state_text(const struct prev_state_letters *l, uint64_t prev_state);

#endif
