/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "api/record/symbol_offset.h"
#include "base/opts.h"
#include "record/count/opening.h"
#include "record/count/overflow.h"
#include "record/count/reading.h"
#include "record/event/pfm_events.h"
#include "record/host/cgroup.h"
#include "record/host/pmu.h"

struct sonde_counter *sonde_counter_new(void)
{
	struct sonde_counter *c = counter_new(&kernel_calls);

	if (c) {
		c->roots.symbol_offset = symbol_offset_of_file;
		c->roots.kernel_symbol = symbol_address_in_kernel;
		c->roots.sdt_place = sdt_place_of_file;
	}
	return c;
}

void sonde_counter_free(struct sonde_counter *c)
{
	if (c)
		counter_release(c);
	free(c);
}

/* ---- before it is open ---- */

static int check_closed(struct sonde_counter *c)
{
	err_clear(&c->err);
	if (c->opened)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "events are chosen before the counter is opened");
	return 0;
}

int sonde_counter_add_event(struct sonde_counter *c, const char *text)
{
	size_t first = c->events.n;
	int r = check_closed(c);

	r = r < 0 ? r : events_parse(&c->events, text, &c->roots, &c->err);
	r = r < 0 ? r : counter_take_events(c);
	if (r == 0)
		c->first_of_last_add = first;
	return r;
}

int sonde_counter_add_pfm_events(struct sonde_counter *c, const char *text)
{
	size_t first = c->events.n;
	int r = check_closed(c);

	r = r < 0 ? r : pfm_events_add(&c->events, text, &c->err);
	r = r < 0 ? r : counter_take_events(c);
	if (r == 0)
		c->first_of_last_add = first;
	return r;
}

int sonde_counter_add_event_file(struct sonde_counter *c, const char *path)
{
	int r = check_closed(c);

	if (r < 0)
		return r;
	c->roots.vendor = &c->vendor;
	return vendor_events_load(&c->vendor, path, &c->err);
}

int sonde_counter_add_attr(struct sonde_counter *c, const struct sonde_attr *attr, size_t size, const char *name,
			   size_t leader)
{
	struct event e = { .inherit = -1, .time = -1, .scale = 1, .leader = (uint32_t)c->events.n };
	char text[64];
	int r = check_closed(c);

	if (r == 0)
		r = opts_take(&e.attr, sizeof(e.attr), attr, size, "struct sonde_attr", &c->err);
	if (r < 0)
		return r;
	if (leader != SONDE_COUNTER_ALONE && (leader >= c->events.n || c->events.at[leader].leader != leader))
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "event %zu leads no group", leader);
	snprintf(text, sizeof(text), "%u:%#llx", e.attr.type, (unsigned long long)e.attr.config);
	name = name ? name : text;
	e.name = arena_strndup(&c->events.arena, name, strlen(name));
	if (leader != SONDE_COUNTER_ALONE) {
		e.leader = (uint32_t)leader;
		e.group = c->events.at[leader].group = "";
	}
	if (!e.name || vec_push(&c->events, e) < 0)
		return err_nomem(&c->err);
	c->first_of_last_add = c->events.n;
	return counter_take_events(c);
}

int sonde_counter_add_filter(struct sonde_counter *c, const char *text)
{
	const char *filter = arena_strndup(&c->events.arena, text, strlen(text));
	bool any = false;
	int r = check_closed(c);

	if (r < 0)
		return r;
	if (!filter)
		return err_nomem(&c->err);
	for (size_t i = c->first_of_last_add; i < c->events.n; i++) {
		if (!c->events.at[i].system)
			continue;
		any = true;
		if (vec_push(&c->events.at[i].filters, filter) < 0)
			return err_nomem(&c->err);
	}
	return any ? 0 : err_set(&c->err, SONDE_USAGE, SONDE_NONE, "a filter follows the tracepoints that it is for");
}

int sonde_counter_set_pmu(struct sonde_counter *c, const char *name)
{
	int r = check_closed(c), prefix = (int)strlen("cpu_");
	char full[256];
	struct pmu pmu;

	if (r < 0)
		return r;
	snprintf(full, sizeof(full), "cpu_%s", name);
	if (!pmu_open(&pmu, c->roots.sysfs, full) && !pmu_open(&pmu, c->roots.sysfs, full + prefix))
		return err_set(&c->err, SONDE_MISSING, SONDE_NONE, "there is no PMU '%.100s' or 'cpu_%.100s'", name,
			       name);
	c->roots.only_pmu = arena_strndup(&c->events.arena, pmu.name, strlen(pmu.name));
	return c->roots.only_pmu ? 0 : err_nomem(&c->err);
}

int sonde_counter_set_cgroup(struct sonde_counter *c, size_t event, const char *path)
{
	int r = check_closed(c);

	if (r < 0)
		return r;
	if (event >= c->counted.n)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "there is no event %zu", event);
	r = cgroup_check(path, &c->err);
	if (r < 0)
		return r;
	c->counted.at[event].event.cgroup = arena_strndup(&c->events.arena, path, strlen(path));
	return c->counted.at[event].event.cgroup ? 0 : err_nomem(&c->err);
}

int sonde_counter_open(struct sonde_counter *c, const struct sonde_counter_opts *opts)
{
	err_clear(&c->err);
	return counter_open(c, opts);
}

size_t sonde_counter_count(const struct sonde_counter *c)
{
	return c->counted.n;
}

const struct sonde_counter_event *sonde_counter_event_at(const struct sonde_counter *c, size_t i)
{
	return i < c->counted.n ? &c->counted.at[i].event : NULL;
}

/* ---- counting ---- */

/* The members of a group follow their leader. */
static int control_leaders(struct sonde_counter *c, unsigned long request, const char *what)
{
	int r = 0;

	err_clear(&c->err);
	if (!c->opened)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter is not open");
	for (size_t i = 0; i < c->counted.n; i++)
		for (size_t k = 0; c->events.at[i].leader == i && k < c->counted.at[i].nr_cells; k++) {
			int fd = c->counted.at[i].cells[k].value.fd;
			int s = fd < 0 ? 0 : c->calls->control(fd, request, NULL);

			if (s < 0 && r == 0)
				r = err_sys(&c->err, -s, "cannot %s %.80s", what, c->events.at[i].name);
		}
	return r;
}

int sonde_counter_enable(struct sonde_counter *c)
{
	return control_leaders(c, PERF_EVENT_IOC_ENABLE, "enable");
}

int sonde_counter_disable(struct sonde_counter *c)
{
	return control_leaders(c, PERF_EVENT_IOC_DISABLE, "disable");
}

static int check_open(struct sonde_counter *c)
{
	err_clear(&c->err);
	return c->opened ? 0 : err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter is not open");
}

int sonde_counter_reset(struct sonde_counter *c)
{
	int r = check_open(c);

	return r < 0 ? r : counter_reset(c);
}

int sonde_counter_read(struct sonde_counter *c)
{
	int r = check_open(c);

	return r < 0 ? r : counter_read(c);
}

const struct sonde_counter_value *sonde_counter_value(const struct sonde_counter *c, size_t event)
{
	return event < c->counted.n ? &c->counted.at[event].sum : NULL;
}

size_t sonde_counter_cell_count(const struct sonde_counter *c, size_t event)
{
	return event < c->counted.n ? c->counted.at[event].nr_cells : 0;
}

const struct sonde_counter_value *sonde_counter_cell_at(const struct sonde_counter *c, size_t event, size_t i)
{
	return i < sonde_counter_cell_count(c, event) ? &c->counted.at[event].cells[i].value : NULL;
}

static int check_event(struct sonde_counter *c, size_t event)
{
	err_clear(&c->err);
	return counter_check_event(c, event);
}

int sonde_counter_read_self(struct sonde_counter *c, size_t event, struct sonde_counter_reading *out)
{
	struct sonde_counter_reading now = { 0 };
	int r = check_event(c, event);

	r = r < 0 ? r : OPTS_CHECK(sonde_counter_reading, out, &c->err);
	r = r < 0 ? r : counter_read_self(c, event, &now);
	if (r < 0)
		return r;
	now.sz = out->sz;
	opts_give(out, &now, sizeof(now));
	return 0;
}

int sonde_counter_refresh(struct sonde_counter *c, size_t event, int overflows)
{
	int r = check_event(c, event);

	return r < 0 ? r : overflow_refresh(c, event, overflows);
}

int sonde_counter_set_period(struct sonde_counter *c, size_t event, uint64_t period)
{
	int r = check_event(c, event);

	return r < 0 ? r : overflow_set_period(c, event, period);
}

int sonde_counter_set_signal(struct sonde_counter *c, size_t event, int signo, int32_t tid)
{
	int r = check_event(c, event);

	return r < 0 ? r : overflow_set_signal(c, event, signo, tid);
}

int sonde_counter_wait(struct sonde_counter *c, size_t event, int timeout_ms)
{
	int r = check_event(c, event);

	return r < 0 ? r : overflow_wait(c, event, timeout_ms);
}

/* ---- the command ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t of_timeval(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

int sonde_counter_start(struct sonde_counter *c)
{
	int r = check_open(c);

	if (r < 0)
		return r;
	if (c->child.pid <= 0 || c->child.started)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter has no command to start");
	c->command.start_ns = now_ns();
	return child_start(&c->child, c->command_name, &c->err);
}

const struct sonde_counter_command *sonde_counter_command(struct sonde_counter *c)
{
	if (c->child.pid <= 0)
		return NULL;
	if (!c->command.ended && child_ended(&c->child)) {
		c->command.ended = true;
		c->command.end_ns = now_ns();
		c->command.wait_status = c->child.status;
		c->command.user_ns = of_timeval(c->child.usage.ru_utime);
		c->command.system_ns = of_timeval(c->child.usage.ru_stime);
	}
	return &c->command;
}

int sonde_counter_wait_command(struct sonde_counter *c, int timeout_ms)
{
	uint64_t end = now_ns() + (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms) * 1000000;

	err_clear(&c->err);
	if (c->child.pid <= 0)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter has no command to wait for");
	for (;;) {
		/* without a pidfd (before Linux 5.3) the end of the task is polled */
		struct pollfd p = { .fd = c->command.fd, .events = POLLIN };
		int step = c->command.fd >= 0 ? timeout_ms : 5;

		if (sonde_counter_command(c)->ended)
			return 1;
		if (poll(&p, 1, step) < 0)
			return errno == EINTR ? sonde_counter_command(c)->ended :
						err_sys(&c->err, errno, "cannot wait for the command");
		if (sonde_counter_command(c)->ended)
			return 1;
		if (timeout_ms >= 0 && now_ns() >= end)
			return 0;
	}
}

/* ---- the calling thread ---- */

int sonde_counter_task_enable(void)
{
	return prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0) < 0 ? -SONDE_SYSTEM : 0;
}

int sonde_counter_task_disable(void)
{
	return prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) < 0 ? -SONDE_SYSTEM : 0;
}

const struct sonde_error *sonde_counter_error(const struct sonde_counter *c)
{
	return &c->err;
}
