/* SPDX-License-Identifier: MIT */
/* advice.h - why an event cannot be recorded or counted, and what the user can do about it. */
#ifndef RECORD_EVENT_ADVICE_H
#define RECORD_EVENT_ADVICE_H

#include "record/event/event.h"
#include "record/event/target.h"

/* Sets the error for a failed perf_event_open(2), "cannot VERB EVENT: ..."; returns its negative code. */
int advice_open(struct sonde_error *err, const char *verb, const struct event *e, int sys_errno,
		const struct target *target);

/* A task of the target that belongs to another user; no perf_event_paranoid opens it. -1: there is none. */
int32_t advice_foreign_task(const struct target *t, uint32_t *uid);

/* As advice_open(), for mapping a ring of so many bytes. */
int advice_map(struct sonde_error *err, int sys_errno, uint64_t bytes);

/* "kernel.perf_event_paranoid is 2"; a static text */
const char *advice_paranoid(void);

#endif
