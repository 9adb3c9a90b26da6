/* SPDX-License-Identifier: MIT */
/* timed_samples.h - the samples of a profile one by one, by time, besides their cells: 24 bytes for each */
#ifndef ANALYZE_TABLES_TIMED_SAMPLES_H
#define ANALYZE_TABLES_TIMED_SAMPLES_H

#include <sonde/profile.h>

#include "base/vec.h"

struct timed_samples {
	bool on;                     /* samples are kept */
	bool mixed;                  /* a sample has come before an older one */
	size_t most;                 /* to keep; 0: all */
	bool given_up;               /* there were more: none is kept */
	VEC(struct sonde_profile_sample) list;
};

/* Keeps a sample. 0 or -SONDE_NOMEM. */
int timed_samples_add(struct timed_samples *t, const struct sonde_profile_sample *s);

/* Puts the samples in the order of time, if they are not. */
void timed_samples_sort(struct timed_samples *t);

void timed_samples_free(struct timed_samples *t);

#endif
