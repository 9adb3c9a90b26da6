/* SPDX-License-Identifier: MIT */
/* walk.h - from record to record of an open trace.dat; see struct reader_ops */
#ifndef TRACEDAT_READ_WALK_H
#define TRACEDAT_READ_WALK_H

#include "tracedat/read/tracedat.h"

int dat_walk_new(struct reader *r, struct walk **out, struct sonde_error *err);
int dat_walk_new_by_time(struct reader *r, struct walk **out, struct sonde_error *err);
int dat_walk_narrow(struct walk *w, uint64_t min, uint64_t max, struct sonde_error *err);
void dat_walk_free(struct walk *w);
int dat_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err);
uint64_t dat_walk_passed(const struct walk *w);
void dat_pin(struct reader *r, const struct record_ref *ref);
void dat_unpin(struct reader *r, const struct record_ref *refs, size_t n);

#endif
