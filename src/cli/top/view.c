/* SPDX-License-Identifier: MIT */
#include "cli/top/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/common_options.h"
#include "cli/record/words.h"
#include "cli/screen/stop.h"
#include "cli/top/options.h"

enum { KEPT_EIGHTHS = 7 };           /* of samples at each refresh, as in perf */

const struct sonde_profile_event *view_event(const struct top_live *l, size_t event)
{
	return sonde_profile_event_at(l->profile, event);
}

bool view_has_samples(const struct top_live *l, size_t event)
{
	const struct sonde_profile_event *e = view_event(l, event);

	return e && e->samples;
}

/* A table of many functions with call graphs takes its time. */
static int stop_if_caught(void *ctx, double share)
{
	(void)ctx, (void)share;
	return stop_caught();
}

struct sonde_report_opts view_opts(const struct top_live *l)
{
	const struct top_words *w = &top_words;
	bool chains = sonde_profile_has_callchains(l->profile);

	return (struct sonde_report_opts){
		.sz = sizeof(struct sonde_report_opts),
		.sort = w->sort,
		.fields = w->fields,
		.children = w->children && chains,
		.graph = w->graph.on && chains,
		.callee = w->graph.callee,
		.graph_lines = w->graph.nodes == NODES_LINES,
		.graph_style = w->graph.style,
		.graph_value = w->graph.value,
		.graph_branches = w->graph.branches,
		.graph_limit = w->graph.limit,
		.progress = stop_if_caught,
		.show_samples = w->samples,
		.show_period = w->period,
		.hierarchy = w->hierarchy,
		.no_header = true,
		.widths = w->widths,
		.of_shown = !w->percentage || !strcmp(w->percentage, "relative"),
		.percent_limit = w->least_percent,
		.symbols = selected.symbols.at,
		.nr_symbols = selected.symbols.n,
		.parent = w->parent,
		.max_rows = (uint32_t)w->entries,
	};
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* "4000Hz cpu-clock", "1 sched:sched_switch" */
static void put_event(char *text, size_t size, const struct sonde_profile_event *e)
{
	if (!e)
		snprintf(text, size, "no event");
	else if (e->attr)
		snprintf(text, size, "%" PRIu64 "%s %s", e->attr->sample_period,
			 e->attr->flags & SONDE_ATTR_FREQ ? "Hz" : "", e->name);
	else
		snprintf(text, size, "%s", e->name);
}

/* "(target_pid: 12, 2 CPUs)" */
static void put_target(char *text, size_t size)
{
	const struct sonde_perf_recorder_opts *o = &record_words.opts;
	const struct numbers *tasks = top_words.pids.n ? &top_words.pids : &top_words.tids;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n;

	if (tasks->n) {
		n = (size_t)snprintf(text, size, "(target_%s: ", top_words.pids.n ? "pid" : "tid");
		for (size_t i = 0; i < tasks->n && n < size; i++)
			n += (size_t)snprintf(text + n, size - n, "%s%d", i ? "," : "", tasks->at[i]);
	} else if (o->target.of_user) {
		n = (size_t)snprintf(text, size, "(uid: %u", o->target.uid);
	} else {
		n = (size_t)snprintf(text, size, "(all");
	}
	if (n >= size)
		return;
	if (o->target.cpus)
		snprintf(text + n, size - n, ", CPU%s: %s)", strpbrk(o->target.cpus, ",-") ? "s" : "", o->target.cpus);
	else
		snprintf(text + n, size - n, ", %ld CPU%s)", cpus, cpus == 1 ? "" : "s");
}

void view_heading(const struct top_live *l, size_t event, const struct live_counts *counts, double seconds, char *text,
		  size_t size)
{
	char event_text[256], target[256];

	put_event(event_text, sizeof(event_text), view_event(l, event));
	put_target(target, sizeof(target));
	snprintf(text, size, "%8.0f irqs/sec  kernel:%4.1f%%  exact: %4.1f%% lost: %" PRIu64 "/%" PRIu64
		 " drop: %" PRIu64 "/%" PRIu64 " [%s],  %s", seconds > 0 ? (double)counts->samples / seconds : 0,
		 percent(counts->kernel, counts->samples), percent(counts->exact, counts->samples), counts->lost,
		 l->lost_total, counts->dropped, l->dropped_total, event_text, target);
}

void view_short_heading(const struct top_live *l, size_t event, const struct live_counts *counts, double seconds,
			char *text, size_t size)
{
	const struct sonde_profile_event *e = view_event(l, event);

	snprintf(text, size, "%.0f/s kernel %.0f%% lost %" PRIu64 "/%" PRIu64 " drop %" PRIu64 "/%" PRIu64 " %s",
		 seconds > 0 ? (double)counts->samples / seconds : 0, percent(counts->kernel, counts->samples),
		 counts->lost, l->lost_total, counts->dropped, l->dropped_total, e ? e->name : "");
}

int view_fade(struct top_live *l)
{
	return sonde_profile_decay(l->profile, top_words.zero ? 0 : KEPT_EIGHTHS);
}
