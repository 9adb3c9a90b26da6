/* SPDX-License-Identifier: MIT */
/* event_switch.h - samples between two events only: --switch-on and --switch-off */
#ifndef CLI_REPORT_EVENT_SWITCH_H
#define CLI_REPORT_EVENT_SWITCH_H

#include <sonde/profile.h>

struct event_switch {
	const char *on, *off;        /* names of events; NULL: none */
	bool shown;                  /* samples of these events are taken too */
};
extern struct event_switch event_switch;

static inline bool event_switch_is_used(void)
{
	return event_switch.on || event_switch.off;
}

/* Whether the trace has both events; else exit status 2 after a message. */
int event_switch_check(const struct sonde_trace *t);

/* As sonde_profile_add(). Events that the query leaves out but for their time switch too. */
int event_switch_add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query);

#endif
