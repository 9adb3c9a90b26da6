/* SPDX-License-Identifier: MIT */
/* merge_input.h - the inputs of a merge: which is next, and by which clock */
#ifndef PERFDATA_REWRITE_MERGE_INPUT_H
#define PERFDATA_REWRITE_MERGE_INPUT_H

#include "perfdata/rewrite/merge.h"

int merge_inputs_open(struct merge *m, struct reader *const *in, const struct sonde_merge_opts *opts);

/* The next record of an input. */
int merge_input_advance(struct merge *m, struct merge_input *in);

/* The input that is next, and the time up to which it stays that: NULL when all have ended. */
struct merge_input *merge_input_next(struct merge *m, uint64_t *until);

/* A time of an input by the clock of the new file; a time that this clock cannot hold is told and stays within it. */
uint64_t merge_time(struct merge *m, const struct merge_input *in, uint64_t time);

void merge_input_end(struct merge_input *in);

#endif
