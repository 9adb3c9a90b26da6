/* SPDX-License-Identifier: MIT */
/* process_id.h - a process, told apart from a later one of its number; names of what it makes in the kernel have it */
#ifndef RECORD_HOST_PROCESS_ID_H
#define RECORD_HOST_PROCESS_ID_H

#include <stdbool.h>

struct process_id {
	long pid;
	unsigned long long start;      /* ticks since boot; 0: there is no such process */
	unsigned long long namespace;  /* of pids */
};

struct process_id process_id_own(void);

/* Has the process ended? False for one of another namespace, whose numbers mean nothing here. */
bool process_id_is_dead(const struct process_id *id);

#endif
