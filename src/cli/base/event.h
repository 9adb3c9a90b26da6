/* SPDX-License-Identifier: MIT */
/* event.h - the event that --event names */
#ifndef CLI_BASE_EVENT_H
#define CLI_BASE_EVENT_H

#include <sonde/profile.h>

/*
 * 0 if the event has samples, or @name is NULL; else exit status 2, after a message with the names of events that have
 * some.
 */
int event_check(const struct sonde_profile *p, const char *name);

#endif
