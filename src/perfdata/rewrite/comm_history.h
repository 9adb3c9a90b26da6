/* SPDX-License-Identifier: MIT */
/*
 * comm_history.h - the names that threads have had, for those who ask in any order
 *
 * Feed COMM and FORK records in any order, settle, then ask. A thread that was forked has the name of its parent at
 * that moment.
 */
#ifndef PERFDATA_REWRITE_COMM_HISTORY_H
#define PERFDATA_REWRITE_COMM_HISTORY_H

#include <sonde/event.h>

#include "base/strpool.h"

#define NO_THREAD UINT64_MAX

/* A thread of the machine, see sonde_event.machine_pid. */
static inline uint64_t thread_key(int32_t machine, int32_t tid)
{
	return (uint64_t)(uint32_t)machine << 32 | (uint32_t)tid;
}

struct comm_change {
	uint64_t time;               /* 0: from the beginning */
	uint64_t thread, parent;     /* parent: of a fork; else NO_THREAD */
	uint32_t order, comm;        /* as it came; number in names, 0: none */
};

struct comm_history {
	struct strpool names;
	VEC(struct comm_change) changes;  /* settled: by thread, then by time */
};

/* 0 or -SONDE_NOMEM; a time of SONDE_NONE is the beginning. */
int comm_history_comm(struct comm_history *h, uint64_t thread, uint64_t time, struct sonde_str comm);
int comm_history_fork(struct comm_history *h, uint64_t thread, uint64_t parent, uint64_t time);

/* All records have come; 0 or -SONDE_NOMEM. */
int comm_history_settle(struct comm_history *h);

/* The name at that time, at the end if it is SONDE_NONE; NULL if none is known. */
const char *comm_history_at(const struct comm_history *h, uint64_t thread, uint64_t time);

void comm_history_free(struct comm_history *h);

#endif
