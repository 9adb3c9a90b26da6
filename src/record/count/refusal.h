/* SPDX-License-Identifier: MIT */
/* refusal.h - the reason why an event cannot be counted, and the way out. */
#ifndef RECORD_COUNT_REFUSAL_H
#define RECORD_COUNT_REFUSAL_H

#include "record/event/event.h"
#include "record/event/target.h"

struct refused {
	const struct event *event;
	const struct target *target;
	bool member;                 /* of a group whose leader is open */
	const char *cgroup;          /* NULL: none */
	size_t nr_fds;               /* that the whole counter needs */
};

/* Sets the error for a failed perf_event_open(2); returns its negative code. */
int refusal(struct sonde_error *err, const struct refused *r, int sys_errno);

/* Whether this errno says that the machine does not have the event, so that others can be counted without it. */
bool refusal_is_absence(int sys_errno);

#endif
