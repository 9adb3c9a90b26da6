/* SPDX-License-Identifier: MIT */
/* event.h - the event of --event */
#ifndef CLI_EVENT_H
#define CLI_EVENT_H

#include <sonde/profile.h>

/* 0 if samples of it were read, or if @name is NULL; else exit status 2, after a message that names the events of which
 * there are some. */
int event_check(const struct sonde_profile *p, const char *name);

#endif
