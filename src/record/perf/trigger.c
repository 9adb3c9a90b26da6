/* SPDX-License-Identifier: MIT */
#include "record/perf/trigger.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record/perf/advice.h"

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

/* The first event of a ring owns it, and the others write to it, too. */
static int join_ring(struct trigger *t, struct ring *ring, int fd, struct sonde_error *err)
{
	struct epoll_event wanted = { .events = EPOLLIN, .data.fd = fd };
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	int e = ring->map ? 0 : ring_map(ring, fd, bytes, false);

	if (e < 0)
		return advice_map(err, -e, bytes);
	if ((fd != ring->fd && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) ||
	    epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) < 0)
		return err_sys(err, errno, "cannot wait for the events that switch the output");
	return 0;
}

static int map_rings(struct trigger *t, struct sonde_error *err)
{
	const struct target *target = &t->target;
	bool by_thread = target->cpus.at[0] < 0;

	t->nr = by_thread ? target->tids.n : target->cpus.n;
	t->rings = calloc(t->nr, sizeof(*t->rings));
	if (!t->rings)
		return err_nomem(err);
	for (size_t i = 0; i < t->events.n; i++)
		for (size_t th = 0; th < target->tids.n; th++)
			for (size_t n = 0; n < target->cpus.n; n++) {
				int fd = t->counters.fds[counters_cell(&t->counters, i, th, n)];
				int e = fd < 0 ? 0 : join_ring(t, &t->rings[by_thread ? th : n], fd, err);

				if (e < 0)
					return e;
			}
	return 0;
}

int trigger_open(struct trigger *t, const struct sonde_perf_recorder_opts *opts, const struct counters *opened_by,
		 const char *sysfs, struct sonde_error *err)
{
	int e;

	if (!t->events.n)
		return 0;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		return err_sys(err, errno, "cannot make an epoll instance");
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

/* Events of tasks that have ended are ready for ever: nobody waits for them any more. */
static void leave_ended(struct trigger *t)
{
	struct epoll_event ready[16];
	int n = epoll_wait(t->epoll_fd, ready, 16, 0);

	for (int i = 0; i < n; i++)
		if (ready[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(t->epoll_fd, EPOLL_CTL_DEL, ready[i].data.fd, NULL);
}

bool trigger_fired(struct trigger *t)
{
	bool fired = false;

	if (t->epoll_fd < 0)
		return false;
	leave_ended(t);
	for (size_t i = 0; i < t->nr; i++)
		fired |= t->rings[i].map && ring_skip(&t->rings[i]);
	return fired;
}

void trigger_close(struct trigger *t)
{
	for (size_t i = 0; i < t->nr; i++)
		ring_unmap(&t->rings[i]);
	free(t->rings);
	counters_close(&t->counters);
	target_free(&t->target);
	events_free(&t->events);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	*t = TRIGGER_NONE;
}
