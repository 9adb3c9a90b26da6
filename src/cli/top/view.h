/* SPDX-License-Identifier: MIT */
/* view.h - the heading and the table of a live profile, as text and on a screen */
#ifndef CLI_TOP_VIEW_H
#define CLI_TOP_VIEW_H

#include <sonde/export.h>

#include "cli/top/live.h"

/* The event that is shown; NULL as long as there is none. */
const struct sonde_profile_event *view_event(const struct top_live *l, size_t event);

/* Whether there is anything to show of an event. */
bool view_has_samples(const struct top_live *l, size_t event);

/* The export options of one event, from the command line. */
struct sonde_report_opts view_opts(const struct top_live *l);

/* "  1234 irqs/sec  kernel: 1.2%  exact:  0.0% lost: 0/0 drop: 0/0 [4000Hz cpu-clock],  (all, 2 CPUs)" */
void view_heading(const struct top_live *l, size_t event, const struct live_counts *counts, double seconds, char *text,
		  size_t size);

/* The same for a narrow screen: "1234/s kernel 1% lost 0/0 drop 0/0 cpu-clock" */
void view_short_heading(const struct top_live *l, size_t event, const struct live_counts *counts, double seconds,
			char *text, size_t size);

/* Lets the samples fade that have been shown: 0, or -SONDE_NOMEM. The lock is held. */
int view_fade(struct top_live *l);

#endif
