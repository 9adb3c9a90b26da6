/* SPDX-License-Identifier: MIT */
/*
 * comm_history.h - the names that threads have had, for those who ask in any order
 *
 * Feed COMM and FORK records in any order, settle, then ask. A thread that was forked has the name of its parent at that moment.
 */
#ifndef PERFDATA_COMM_HISTORY_H
#define PERFDATA_COMM_HISTORY_H

#include <sonde/event.h>

#include "base/strpool.h"

struct comm_change {
	uint64_t time;               /* 0: from the beginning */
	int32_t tid, parent;         /* parent: of a fork; else -1 */
	uint32_t order, comm;        /* as it came; number in names, 0: none */
};

struct comm_history {
	struct strpool names;
	VEC(struct comm_change) changes;  /* settled: by tid, then by time */
};

/* 0 or -SONDE_NOMEM; a time of SONDE_NONE is the beginning. */
int comm_history_comm(struct comm_history *h, int32_t tid, uint64_t time, struct sonde_str comm);
int comm_history_fork(struct comm_history *h, int32_t tid, int32_t parent, uint64_t time);

/* All records have come; 0 or -SONDE_NOMEM. */
int comm_history_settle(struct comm_history *h);

/* The name at that time, at the end if it is SONDE_NONE; NULL if none is known. */
const char *comm_history_at(const struct comm_history *h, int32_t tid, uint64_t time);

void comm_history_free(struct comm_history *h);

#endif
