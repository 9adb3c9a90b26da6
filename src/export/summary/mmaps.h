/* SPDX-License-Identifier: MIT */
/* mmaps.h - the final mappings of a process, as /proc/PID/maps shows them */
#ifndef EXPORT_SUMMARY_MMAPS_H
#define EXPORT_SUMMARY_MMAPS_H

#include "base/buf.h"
#include "threads/tasks.h"

struct summary_maps {
	struct tasks tasks;
	VEC(uint64_t) inodes;        /* by index of the binary; 0: not known */
};

/* 0 or -SONDE_NOMEM */
int summary_maps_event(struct summary_maps *m, const struct sonde_event *ev);

/* @margin: blanks before each line */
void summary_maps_put(const struct summary_maps *m, int32_t pid, uint32_t margin, struct buf *out);

void summary_maps_free(struct summary_maps *m);

#endif
