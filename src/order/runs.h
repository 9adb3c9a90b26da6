/* SPDX-License-Identifier: MIT */
/* runs.h - references that are rows of sorted runs: merged by time, equal times in their order */
#ifndef ORDER_RUNS_H
#define ORDER_RUNS_H

#include "model/reader.h"

/* Sorts n references of which the first @sorted are in order already; only those of them that are newer than the oldest
 * of the others move. @scratch has room for n. */
void runs_merge_tail(struct record_ref *refs, struct record_ref *scratch, size_t sorted, size_t n);

/* How many of n, which are sorted, are not newer than `until`. */
size_t runs_not_newer(const struct record_ref *refs, size_t n, uint64_t until);

#endif
