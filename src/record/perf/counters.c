/* SPDX-License-Identifier: MIT */
#include "record/perf/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/event/advice.h"
#include "record/event/kernel_attr.h"
#include "record/host/cgroup.h"
#include "record/perf/aux_kind.h"

#define FORMAT_LOST (UINT64_C(1) << 4)
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

/* ---- features that an older kernel may lack, newest first; a recording without them is of use ---- */

static bool drop_flag(struct sonde_attr *a, uint64_t flag)
{
	bool had = a->flags & flag;

	a->flags &= ~flag;
	return had;
}

static bool drop_lost(struct sonde_attr *a)
{
	bool had = a->read_format & FORMAT_LOST;

	a->read_format &= ~FORMAT_LOST;
	return had;
}

static bool drop_defer(struct sonde_attr *a)
{
	return drop_flag(a, SONDE_ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT);
}

static bool drop_inherited_read(struct sonde_attr *a)
{
	return a->sample_type & PERF_SAMPLE_READ && drop_flag(a, SONDE_ATTR_INHERIT);
}

static bool drop_weight_struct(struct sonde_attr *a)
{
	if (!(a->sample_type & SAMPLE_WEIGHT_STRUCT))
		return false;
	a->sample_type ^= SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
	return true;
}

static bool drop_branch_extras(struct sonde_attr *a)
{
	const uint64_t extras = BRANCH_COUNTERS | PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_NO_CYCLES |
				PERF_SAMPLE_BRANCH_NO_FLAGS;
	bool had = a->branch_sample_type & extras;

	a->branch_sample_type &= ~extras;
	return had;
}

static bool drop_ksymbol(struct sonde_attr *a) { return drop_flag(a, ATTR_KSYMBOL | ATTR_BPF_EVENT); }
static bool drop_text_poke(struct sonde_attr *a) { return drop_flag(a, ATTR_TEXT_POKE); }
static bool drop_mmap2(struct sonde_attr *a) { return drop_flag(a, ATTR_MMAP2 | ATTR_COMM_EXEC); }

static bool (*const abilities[])(struct sonde_attr *a) = {
	drop_defer,                  /* 6.19 */
	drop_inherited_read,         /* 6.12 */
	drop_branch_extras,          /* 6.8, 5.7, 4.1 */
	drop_lost,                   /* 6.0 */
	drop_weight_struct,          /* 5.12 */
	drop_text_poke,              /* 5.8 */
	drop_ksymbol,                /* 5.1 */
	drop_mmap2,                  /* 3.16 */
};

/* Drops the newest feature that a still has; false if none is left. */
static bool drop_newest(struct counters *c, struct sonde_attr *a)
{
	while (c->nr_dropped < ARRAY_SIZE(abilities)) {
		bool (*drop)(struct sonde_attr *a) = abilities[c->nr_dropped++];

		if (!drop(a))
			continue;
		if (drop == drop_defer)
			messenger_say(c->messenger, "this kernel cannot defer call chains, as Linux 6.19 does: each "
				      "sample has its whole call chain");
		return true;
	}
	return false;
}

/* ---- opening ---- */

static int open_fd(const struct sonde_attr *attr, int32_t tid, int32_t cpu, int group, unsigned flags)
{
	uint8_t bytes[KERNEL_ATTR_BYTES];
	long fd;

	kernel_attr_encode(attr, bytes);
	fd = syscall(SYS_perf_event_open, bytes, tid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int rename_event(struct counters *c, struct event *e, const char *name)
{
	char text[320];

	snprintf(text, sizeof(text), "%s", name);
	e->name = arena_strndup(&c->list->arena, text, strlen(text));
	return e->name ? 0 : -SONDE_NOMEM;
}

static bool is_cycles(const struct event *e)
{
	return e->attr.type == PERF_TYPE_HARDWARE && (uint32_t)e->attr.config == PERF_COUNT_HW_CPU_CYCLES;
}

/* No PMU: the clock of the CPU ticks at the same frequency. */
static int use_clock(struct counters *c, struct event *e)
{
	bool user = e->attr.flags & SONDE_ATTR_EXCLUDE_KERNEL;

	messenger_say(c->messenger, "this machine has no hardware counter for %s, as is normal in a virtual machine: "
		      "sampling cpu-clock (CPU time) instead", e->name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	e->attr.flags &= ~ATTR_PRECISE_MASK;
	return rename_event(c, e, user ? "cpu-clock:u" : "cpu-clock");
}

static int use_user_only(struct counters *c, struct event *e)
{
	char name[320];
	bool modified = strchr(e->name, ':');

	messenger_say(c->messenger, "%s: not permitted to look into the kernel (%s): recording user space only. "
		      "`sysctl kernel.perf_event_paranoid=1` or CAP_PERFMON gives more", e->name, advice_paranoid());
	e->attr.flags |= SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV;
	snprintf(name, sizeof(name), "%s%su", e->name, modified ? "" : ":");
	return rename_event(c, e, name);
}

/*
 * Changes the event so that opening it may succeed. 1: try again, 0: nothing can be done, negative: a failure.
 * Only for the first cell of an event: the others have to be like it.
 */
static int do_with_less(struct counters *c, struct event *e, int e_no)
{
	struct sonde_attr *a = &e->attr;
	uint32_t uid;
	bool absent = e_no == -ENOENT || e_no == -ENXIO || e_no == -ENODEV, r;

	if (absent && is_cycles(e))
		return use_clock(c, e) < 0 ? -SONDE_NOMEM : 1;
	if ((e_no == -EOPNOTSUPP || e_no == -EINVAL || absent) && e->modifiers & MOD_PRECISE_MAX &&
	    a->flags & ATTR_PRECISE_MASK) {
		a->flags -= UINT64_C(1) << ATTR_PRECISE_SHIFT;
		return 1;
	}
	if ((e_no == -EACCES || e_no == -EPERM) && !(a->flags & SONDE_ATTR_EXCLUDE_KERNEL) &&
	    a->type != PERF_TYPE_TRACEPOINT && !(e->modifiers & (MOD_KERNEL | MOD_HV)) && !c->target->system_wide &&
	    advice_foreign_task(c->target, &uid) < 0)
		return use_user_only(c, e) < 0 ? -SONDE_NOMEM : 1;
	if (e_no == -EINVAL || e_no == -E2BIG) {
		r = drop_newest(c, a);
		if (!r && !(a->flags & (ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST)) && a->type != PERF_TYPE_SOFTWARE) {
			a->flags |= ATTR_EXCLUDE_GUEST;
			r = true;
		}
		return r;
	}
	return 0;
}

/* Is the CPU in the list? An empty list means all CPUs. */
static bool among(const struct cpus *cpus, int32_t cpu)
{
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->at[i] == cpu)
			return true;
	return cpus->n == 0 || cpu < 0;
}

static bool on_cpu(const struct counters *c, size_t event, int32_t cpu)
{
	bool sideband = event + 1 == c->list->n;

	return among(&c->list->at[event].cpus, cpu) && (sideband || among(&c->target->measured, cpu));
}

static int open_cell(const struct counters *c, const struct event *e, int32_t tid, int32_t cpu, int group)
{
	unsigned flags = e->cgroup ? PERF_FLAG_PID_CGROUP : 0;
	int fd = open_fd(&e->attr, tid, cpu, group, flags);

	if (fd == -EMFILE && c->more_files && c->more_files(c->messenger->ctx))
		fd = open_fd(&e->attr, tid, cpu, group, flags);
	return fd;
}

static int read_id(struct counters *c, size_t cell, struct sonde_error *err)
{
	if (ioctl(c->fds[cell], PERF_EVENT_IOC_ID, &c->ids[cell]) < 0)
		return err_sys(err, errno, "cannot learn the id of an event");
	return 0;
}

static int group_fd(const struct counters *c, size_t event, size_t thread, size_t cpu)
{
	uint32_t leader = c->list->at[event].leader;

	return leader == event ? -1 : c->fds[counters_cell(c, leader, thread, cpu)];
}

/* A weak group that does not fit is dissolved: its members are opened one by one. */
static void dissolve(struct counters *c, size_t leader)
{
	messenger_say(c->messenger, "the group of %s cannot be measured as one: its events are recorded one by one",
		      c->list->at[leader].name);
	for (size_t i = leader; i < c->list->n && c->list->at[i].leader == leader; i++) {
		struct event *e = &c->list->at[i];

		for (size_t cell = counters_cell(c, i, 0, 0); cell < counters_cell(c, i + 1, 0, 0); cell++) {
			if (c->fds[cell] >= 0) {
				close(c->fds[cell]);
				c->nr_open--;
			}
			c->fds[cell] = -1;
		}
		e->attr.flags |= c->list->at[leader].attr.flags & (SONDE_ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);
		e->group = NULL;
	}
	for (size_t i = leader + 1; i < c->list->n && c->list->at[i].leader == leader; i++)
		c->list->at[i].leader = (uint32_t)i;
}

/*
 * 0, 1 if the event's group was dissolved and has to be opened again, or negative. @cgroup: the open directory of the
 * event's control group, which is opened in the place of a task
 */
static int open_cells(struct counters *c, size_t event, int cgroup, struct sonde_error *err)
{
	struct event *e = &c->list->at[event];
	bool first = true;
	int r;

	for (uint32_t i = 0; i < c->nr_dropped && i < ARRAY_SIZE(abilities); i++)
		abilities[i](&e->attr);
	if (e->system_wide && !c->target->system_wide)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "%s counts for whole CPUs, not for tasks: use -a",
			       e->name);
	for (size_t t = 0; t < c->target->tids.n; t++)
		for (size_t n = 0; n < c->target->cpus.n && !c->gone[t]; n++) {
			size_t cell = counters_cell(c, event, t, n);
			int32_t cpu = c->target->cpus.at[n], tid = c->target->tids.at[t];
			int fd;

			if (!on_cpu(c, event, cpu))
				continue;
			if (e->cgroup)
				tid = cgroup;
			while ((fd = open_cell(c, e, tid, cpu, group_fd(c, event, t, n))) < 0) {
				if (fd == -ESRCH && c->target->tids.n > 1) {
					messenger_say(c->messenger, "thread %d ended before it could be recorded", tid);
					c->gone[t] = true;
					break;
				}
				if ((fd == -EINVAL || fd == -EBADF) && e->group &&
				    c->list->at[e->leader].modifiers & MOD_WEAK) {
					dissolve(c, e->leader);
					return 1;
				}
				r = first ? do_with_less(c, e, fd) : 0;
				if (r < 0)
					return err_nomem(err);
				if (r == 0)
					return advice_open(err, "record", e, -fd, c->target);
			}
			if (fd < 0)
				break;
			first = false;
			c->fds[cell] = fd;
			c->nr_open++;
			r = read_id(c, cell, err);
			if (r < 0)
				return r;
		}
	if (first)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "%s cannot be opened anywhere: %s", e->name,
			       c->target->system_wide ? "it exists on none of these CPUs" : "all threads have ended");
	return 0;
}

static int open_event(struct counters *c, size_t event, struct sonde_error *err)
{
	const struct event *e = &c->list->at[event];
	int cgroup, r;

	if (!e->cgroup)
		return open_cells(c, event, -1, err);
	if (!c->target->system_wide)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "control groups are recorded on whole CPUs: use -a");
	cgroup = cgroup_open_here(e->cgroup, err);
	if (cgroup < 0)
		return cgroup;
	r = open_cells(c, event, cgroup, err);
	close(cgroup);
	return r;
}

static bool is_absence(int sys_errno)
{
	return sys_errno == ENOENT || sys_errno == ENXIO || sys_errno == ENODEV || sys_errno == EOPNOTSUPP;
}

/*
 * As perf 7: an event that this machine lacks is left out, with the members of a group that it leads, while others are
 * left. False: the error stays.
 */
static bool leave_out(struct counters *c, size_t event, struct sonde_error *err)
{
	struct events *list = c->list;
	size_t n = 1;

	while (event + n < list->n && list->at[event + n].leader == event)
		n++;
	if (!c->others_suffice || !is_absence(err->sys_errno) || aux_kind_find(list->at[event].pmu) ||
	    n + 1 >= list->n || event + 1 == list->n)
		return false;
	messenger_say(c->messenger, "%s; the other events are recorded", err->text);
	err_clear(err);
	for (size_t i = event; i < event + n; i++) {
		for (size_t cell = counters_cell(c, i, 0, 0); cell < counters_cell(c, i + 1, 0, 0); cell++)
			if (c->fds[cell] >= 0) {
				close(c->fds[cell]);
				c->fds[cell] = -1;
				c->nr_open--;
			}
		vec_free(&list->at[i].cpus);
		vec_free(&list->at[i].filters);
	}
	memmove(&list->at[event], &list->at[event + n], (list->n - event - n) * sizeof(*list->at));
	list->n -= n;
	for (size_t i = event; i < list->n; i++)
		if (list->at[i].leader > event)
			list->at[i].leader -= (uint32_t)n;
	return true;
}

int counters_open(struct counters *c, struct sonde_error *err)
{
	size_t cells = c->list->n * c->target->tids.n * c->target->cpus.n;

	c->fds = malloc(cells * sizeof(*c->fds));
	c->ids = calloc(cells, sizeof(*c->ids));
	c->gone = calloc(c->target->tids.n, sizeof(*c->gone));
	if (!c->fds || !c->ids || !c->gone) {
		free(c->fds);
		c->fds = NULL;
		return err_nomem(err);
	}
	for (size_t i = 0; i < cells; i++)
		c->fds[i] = -1;
	for (size_t i = 0; i < c->list->n; i++) {
		size_t leader = c->list->at[i].leader;
		int r = open_event(c, i, err);

		if (r < 0 && !leave_out(c, i, err))
			return r;
		if (r != 0)
			i = (r > 0 ? leader : i) - 1;
	}
	/* Features that a later event had to drop are dropped from the earlier ones too: files want attrs alike. */
	for (size_t i = 0; i < c->list->n; i++)
		if (c->nr_dropped > 0)
			c->list->at[i].attr.read_format = c->list->at[c->list->n - 1].attr.read_format;
	return 0;
}

int counters_filter(struct counters *c, struct sonde_error *err)
{
	for (size_t i = 0; i < c->list->n; i++) {
		const struct event *e = &c->list->at[i];
		char text[8192];
		size_t n = 0;

		if (e->filters.n == 0)
			continue;
		for (size_t k = 0; k < e->filters.n && n < sizeof(text); k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, e->system ? "%s(%s)" : "%s%s",
					      !k ? "" : e->system ? " && " : ",", e->filters.at[k]);
		if (n >= sizeof(text))
			return err_set(err, SONDE_USAGE, SONDE_NONE, "the filter of %s is too long", e->name);
		for (size_t cell = counters_cell(c, i, 0, 0); cell < counters_cell(c, i + 1, 0, 0); cell++)
			if (c->fds[cell] >= 0 && ioctl(c->fds[cell], PERF_EVENT_IOC_SET_FILTER, text) < 0)
				return errno == EINVAL ?
					err_set(err, SONDE_USAGE, SONDE_NONE,
						"the kernel does not take the filter '%.120s' for %s", text, e->name) :
					err_sys(err, errno, "cannot filter %s", e->name);
	}
	return 0;
}

int counters_enable(struct counters *c, bool on, struct sonde_error *err)
{
	for (size_t i = 0; i < c->list->n; i++)
		for (size_t cell = counters_cell(c, i, 0, 0); cell < counters_cell(c, i + 1, 0, 0); cell++)
			if (c->fds[cell] >= 0 && (!on || c->list->at[i].attr.flags & SONDE_ATTR_DISABLED) &&
			    ioctl(c->fds[cell], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0)
				return err_sys(err, errno, "cannot turn %s %s", c->list->at[i].name, on ? "on" : "off");
	return 0;
}

static bool chooses(struct event_choice which, size_t i, const struct event *e)
{
	if (which.name)
		return strcmp(e->name, which.name) == 0;
	return which.index == SIZE_MAX || which.index == i;
}

/* ioctl(2) for an event everywhere. @what: for the error */
static int on_event(const struct counters *c, size_t i, unsigned long request, const void *arg, const char *what,
		    struct sonde_error *err)
{
	for (size_t cell = counters_cell(c, i, 0, 0); cell < counters_cell(c, i + 1, 0, 0); cell++)
		if (c->fds[cell] >= 0 && ioctl(c->fds[cell], request, arg) < 0)
			return err_sys(err, errno, "cannot %s %s", what, c->list->at[i].name);
	return 0;
}

static int no_such_event(struct event_choice which, struct sonde_error *err)
{
	if (which.name)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "no event %.80s is recorded", which.name);
	return err_set(err, SONDE_MISSING, SONDE_NONE, "no event %zu is recorded", which.index);
}

/* The same for the chosen events. The last event of the list is the side band's. */
static int on_events(const struct counters *c, struct event_choice which, unsigned long request, const void *arg,
		     const char *what, struct sonde_error *err)
{
	bool all = !which.name && which.index == SIZE_MAX, any = all;
	int e = 0;

	for (size_t i = 0; e == 0 && i + 1 < c->list->n; i++) {
		/* The members of a group follow their leader. */
		if (!chooses(which, i, &c->list->at[i]) || (all && c->list->at[i].leader != i))
			continue;
		any = true;
		e = on_event(c, i, request, arg, what, err);
	}
	return e < 0 || any ? e : no_such_event(which, err);
}

int counters_turn(const struct counters *c, struct event_choice which, bool on, struct sonde_error *err)
{
	return on_events(c, which, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL,
			 on ? "turn on" : "turn off", err);
}

int counters_set_period(const struct counters *c, struct event_choice which, uint64_t period, struct sonde_error *err)
{
	return on_events(c, which, PERF_EVENT_IOC_PERIOD, &period, "set the period of", err);
}

int counters_set_filter(const struct counters *c, struct event_choice which, const char *text, struct sonde_error *err)
{
	bool any = false;

	for (size_t i = 0; i + 1 < c->list->n; i++) {
		const struct event *e = &c->list->at[i];
		int r;

		if (!chooses(which, i, e) || !e->system)
			continue;
		any = true;
		r = on_event(c, i, PERF_EVENT_IOC_SET_FILTER, text, "filter", err);
		if (r == 0)
			continue;
		if (err->sys_errno != EEXIST && err->sys_errno != EINVAL)
			return r;
		any = err->sys_errno == EEXIST;
		err_clear(err);
		return any ? err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
				     "%s has a filter, and the kernel takes only one", e->name) :
			     err_set(err, SONDE_USAGE, SONDE_NONE,
				     "the kernel does not take the filter '%.120s' for %s", text, e->name);
	}
	return any ? 0 : err_set(err, SONDE_MISSING, SONDE_NONE, "no such tracepoint is recorded");
}

/* The layout of read(2): [nr] [enabled] [running] then value [id] [lost], once or nr times. */
static bool read_cell(const struct counters *c, size_t event, size_t cell, struct sonde_read_value *out)
{
	uint64_t format = c->list->at[event].attr.read_format, v[512], nr = 1;
	size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST), n, at = 0;
	ssize_t r;

	if (c->fds[cell] < 0 || (r = read(c->fds[cell], v, sizeof(v))) <= 0)
		return false;
	n = (size_t)r / sizeof(*v);
	if (format & PERF_FORMAT_GROUP)
		nr = v[at++];
	at += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	for (uint64_t i = 0; i < nr && at + each <= n; i++, at += each)
		if (nr == 1 || !(format & PERF_FORMAT_ID) || v[at + 1] == c->ids[cell]) {
			out->value = v[format & PERF_FORMAT_GROUP ? at : 0];  /* a single one stands before the times */
			out->lost = format & FORMAT_LOST ? v[at + each - 1] : 0;
			return true;
		}
	return false;
}

uint64_t counters_lost(const struct counters *c, size_t event, size_t cell)
{
	struct sonde_read_value v = { 0 };

	return read_cell(c, event, cell, &v) ? v.lost : 0;
}

uint64_t counters_value(const struct counters *c, size_t event, size_t cell)
{
	struct sonde_read_value v = { 0 };

	return read_cell(c, event, cell, &v) ? v.value : 0;
}

void counters_close(struct counters *c)
{
	size_t cells = c->fds ? c->list->n * c->target->tids.n * c->target->cpus.n : 0;

	/* Members first: a member whose leader is closed becomes an event of its own. */
	for (size_t i = cells; i-- > 0;)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->fds);
	free(c->ids);
	free(c->gone);
	c->fds = NULL;
	c->ids = NULL;
	c->gone = NULL;
}
