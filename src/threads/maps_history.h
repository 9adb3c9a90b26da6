/* SPDX-License-Identifier: MIT */
/* maps_history.h - the maps of the kernel and of each process at every moment, as tasks change */
#ifndef THREADS_MAPS_HISTORY_H
#define THREADS_MAPS_HISTORY_H

#include "threads/tasks.h"

#define HISTORY_KERNEL INT32_MIN     /* in place of a process */

/* From this time on. */
struct maps_moment {
	int32_t pid;
	uint32_t number;             /* in the order of the events */
	uint64_t time;
	maps_root root;
};

/* {0}: nothing has changed */
struct maps_history {
	VEC(struct maps_moment) list;
};

/* tasks_apply() for an event of the host, whose change of maps is noted. 0 or -SONDE_NOMEM. */
int maps_history_apply(struct maps_history *h, struct tasks *t, const struct sonde_event *ev);

/* After the last event, before maps_history_between(). */
void maps_history_end(struct maps_history *h);

/* The last moment of a process before @first, if there is one, and those from then up to @last: @n of them. */
const struct maps_moment *maps_history_between(const struct maps_history *h, int32_t pid, uint64_t first, uint64_t last,
					       size_t *n);

void maps_history_free(struct maps_history *h);

#endif
