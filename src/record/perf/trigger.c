/* SPDX-License-Identifier: MIT */
#include "record/perf/trigger.h"

#include <linux/perf_event.h>

static bool may_fire(const struct event *e)
{
	uint32_t type = e->attr.type;

	return type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT ||
	       (type != EVENT_TYPE_TOOL && (e->period || e->freq));
}

int trigger_add(struct trigger *t, const char *text, const struct event_roots *roots, struct sonde_error *err)
{
	int e = events_parse(&t->events, text, roots, err);

	for (size_t i = 0; e == 0 && i < t->events.n; i++)
		if (!may_fire(&t->events.at[i]))
			e = err_set(err, SONDE_USAGE, SONDE_NONE,
				    "%.80s cannot switch the output: a tracepoint can, and an event with a period, as "
				    "page-faults/period=1000/", t->events.at[i].name);
	return e;
}

/* Samples without any field: only their arrival counts. Each one wakes the recorder. */
static void configure(struct trigger *t)
{
	for (size_t i = 0; i < t->events.n; i++) {
		struct event *e = &t->events.at[i];
		struct sonde_attr *a = &e->attr;

		e->leader = (uint32_t)i;
		e->group = NULL;
		a->sample_period = e->freq ? e->freq : e->period ? e->period : 1;
		a->flags |= (e->freq ? SONDE_ATTR_FREQ : 0) | (t->target.system_wide ? 0 : SONDE_ATTR_INHERIT);
		a->wakeup_events = 1;
	}
}

static int map_rings(struct trigger *t, struct sonde_error *err)
{
	const struct target *target = &t->target;
	bool by_thread = target->cpus.at[0] < 0;
	int e = arrivals_open(&t->arrivals, by_thread ? target->tids.n : target->cpus.n, err);

	for (size_t i = 0; e == 0 && i < t->events.n; i++)
		for (size_t th = 0; th < target->tids.n; th++)
			for (size_t n = 0; n < target->cpus.n; n++) {
				int fd = t->counters.fds[counters_cell(&t->counters, i, th, n)];

				e = fd < 0 ? 0 : arrivals_add(&t->arrivals, by_thread ? th : n, fd, err);
				if (e < 0)
					return e;
			}
	return e;
}

int trigger_open(struct trigger *t, const struct sonde_perf_recorder_opts *opts, const struct counters *opened_by,
		 const char *sysfs, struct sonde_error *err)
{
	int e;

	if (!t->events.n)
		return 0;
	e = target_resolve(&t->target, opts, -1, sysfs, err);
	if (e < 0)
		return e;
	configure(t);
	if (t->target.measured.n) {
		vec_free(&t->target.cpus);
		t->target.cpus = t->target.measured;
		t->target.measured = (struct cpus){ 0 };
	}
	t->counters = (struct counters){ .list = &t->events, .target = &t->target, .messenger = opened_by->messenger,
					 .more_files = opened_by->more_files };
	e = counters_open(&t->counters, err);
	return e < 0 || (e = counters_filter(&t->counters, err)) < 0 ? e : map_rings(t, err);
}

void trigger_close(struct trigger *t)
{
	arrivals_close(&t->arrivals);
	counters_close(&t->counters);
	target_free(&t->target);
	events_free(&t->events);
	*t = TRIGGER_NONE;
}
