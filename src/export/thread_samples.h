/* SPDX-License-Identifier: MIT */
/* thread_samples.h - the samples of each thread by time, for formats with a time axis; needs a profile with `timed` */
#ifndef EXPORT_THREAD_SAMPLES_H
#define EXPORT_THREAD_SAMPLES_H

#include "export/export.h"

/* The samples of one event in one task. */
struct sampled_thread {
	uint32_t event, task;
	uint32_t first, n;           /* of `order` */
};

struct thread_samples {
	uint32_t *order;             /* numbers of samples: those of a run together, by time */
	VEC(struct sampled_thread) runs; /* event by event; the tasks with most samples first */
	uint64_t zero;               /* time of the first sample of all; 0: none has a time */
};

/* Samples of wanted events and tasks. 0 or -SONDE_NOMEM. To be freed in either case. */
int thread_samples_make(struct thread_samples *t, const struct export *x);

void thread_samples_free(struct thread_samples *t);

#endif
