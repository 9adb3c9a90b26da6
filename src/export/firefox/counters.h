/* SPDX-License-Identifier: MIT */
/* counters.h - counts that samples of another event read, as counters of processes: {cycles,instructions}:S */
#ifndef EXPORT_FIREFOX_COUNTERS_H
#define EXPORT_FIREFOX_COUNTERS_H

#include "analyze/tables/tracks.h"
#include "base/json.h"
#include "base/u64map.h"

/*
 * The member "counters", if there are counts; times are from @zero on. @main_of: number of a process -> the number of
 * its main thread; others are not written. 0 or -SONDE_NOMEM.
 */
int firefox_counters_put(struct json *j, const struct tracks *tracks, const struct u64map *main_of, uint64_t zero);

#endif
