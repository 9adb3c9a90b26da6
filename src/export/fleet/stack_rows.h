/* SPDX-License-Identifier: MIT */
/* stack_rows.h - the stacks of a profile as rows, and the rows that they refer to: frames and modules */
#ifndef EXPORT_FLEET_STACK_ROWS_H
#define EXPORT_FLEET_STACK_ROWS_H

#include "base/u64map.h"
#include "export/fleet/rows.h"

/* The new number for each number of the profile. */
struct stack_rows {
	struct fleet_rows *f;        /* to which the rows are added */
	const struct sonde_profile *p;
	int64_t *frame_ids;          /* by frame of the profile; 0: not made yet */
	int64_t *stack_ids;          /* by stack of the profile; 0: not made yet */
	int64_t *alone_ids;          /* by frame: the stack of that frame only; 0: not made yet */
	struct u64map frames, stacks, modules;  /* ids that have rows */
};

/* 0 or -SONDE_NOMEM; stack_rows_free() in either case. */
int stack_rows_init(struct stack_rows *s, struct fleet_rows *f);
void stack_rows_free(struct stack_rows *s);

/* The id of the stack of a cell, which has a row then; 0 when out of memory. */
int64_t stack_rows_id(struct stack_rows *s, const struct sonde_profile_cell *c);

/* Adds a row of a binary. @named: a function of it has a name. 0 or -SONDE_NOMEM */
int stack_rows_add_module(struct stack_rows *s, const struct binary *b, const char *build_id, bool named);

#endif
