/* SPDX-License-Identifier: MIT */
/*
 * aux_plan.h - a hardware trace among the events
 *
 * Its event is the first of the list, since the area belongs to the ring of the first one.
 */
#ifndef RECORD_PERF_AUX_PLAN_H
#define RECORD_PERF_AUX_PLAN_H

#include "record/perf/recorder.h"

/* Puts the event to the front and sets r->aux; without such an event nothing changes. */
int aux_plan(struct sonde_perf_recorder *r);

/* After the other fields of the attrs. */
void aux_plan_attrs(struct sonde_perf_recorder *r);

/* After the rings are mapped: gives each an area. */
int aux_plan_map(struct sonde_perf_recorder *r);

/* AUXTRACE_INFO: the words of the driver that a decoder needs, at most @max; their number. */
size_t aux_plan_info(const struct sonde_perf_recorder *r, uint64_t *words, size_t max);

#endif
