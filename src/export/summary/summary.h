/* SPDX-License-Identifier: MIT */
/* summary.h - what all records of a trace come to, as text: a file for each kind. Fed event by event, then written. */
#ifndef EXPORT_SUMMARY_SUMMARY_H
#define EXPORT_SUMMARY_SUMMARY_H

#include <sonde/event.h>

#include "base/buf.h"
#include "threads/tasks.h"

/* One kind; the struct at the front of its own. */
struct summary {
	int (*event)(struct summary *s, const struct sonde_event *ev);  /* 0 or -SONDE_NOMEM */
	int (*put)(struct summary *s, struct buf *out);                 /* 0 or -SONDE_NOMEM */
	void (*free)(struct summary *s);
};

/* Each is NULL when out of memory. Sources that events name have to live until the end. */
struct summary *summary_stats_new(void);
struct summary *summary_tasks_new(bool maps);
struct summary *summary_threads_new(void);

/* What a process has mapped, a line each after that many blanks. */
struct summary_maps {
	struct tasks tasks;
	VEC(uint64_t) inodes;        /* by index of the binary; 0: not told */
};
int summary_maps_event(struct summary_maps *m, const struct sonde_event *ev);
void summary_maps_put(const struct summary_maps *m, int32_t pid, uint32_t margin, struct buf *out);
void summary_maps_free(struct summary_maps *m);

#endif
