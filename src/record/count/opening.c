/* SPDX-License-Identifier: MIT */
#include "record/count/opening.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/opts.h"
#include "record/count/refusal.h"
#include "record/event/advice.h"
#include "record/host/cgroup.h"

#define PLAIN_ATTR_BYTES 128       /* up to sig_data, which readers of recordings know since Linux 5.13 */
#define LARGE_ATTR_BYTES 144       /* with config3 and config4 */
#define READ_FORMAT (PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* ---- attrs ---- */

static size_t group_size(const struct sonde_counter *c, size_t leader)
{
	size_t n = 0;

	for (size_t i = leader; i < c->events.n; i++)
		n += c->events.at[i].leader == leader;
	return n;
}

static void set_attr(struct sonde_counter *c, size_t i)
{
	const struct sonde_counter_opts *o = &c->opts;
	struct event *e = &c->events.at[i];
	struct sonde_attr *a = &e->attr;
	bool leads = e->leader == i, inherit = e->inherit >= 0 ? e->inherit : !o->no_inherit;

	a->size = a->config3 || a->config4 ? LARGE_ATTR_BYTES : PLAIN_ATTR_BYTES;
	if (e->period)
		a->sample_period = e->period;
	if (!a->sample_period)
		a->sample_type |= PERF_SAMPLE_IDENTIFIER;
	/* the kernel maps no event that is inherited on any CPU */
	if (o->user_reads || o->rings)
		inherit = false;
	if (o->rings && a->sample_period)
		a->wakeup_events = 1;
	a->flags |= (inherit ? SONDE_ATTR_INHERIT : 0) | (o->inherit_stat ? SONDE_ATTR_INHERIT_STAT : 0);
	if (leads && !(o->running && !o->command))
		a->flags |= SONDE_ATTR_DISABLED;
	if (leads && o->running && o->command)
		a->flags |= ATTR_ENABLE_ON_EXEC;
	if (!(e->modifiers & (MOD_USER | MOD_KERNEL | MOD_HV)))
		a->flags |= (o->user_only ? SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV : 0) |
			    (o->kernel_only ? SONDE_ATTR_EXCLUDE_USER : 0);
	a->read_format = READ_FORMAT | (o->lost ? FORMAT_LOST : 0);
	if (!o->no_group_read && group_size(c, e->leader) > 1)
		a->read_format |= PERF_FORMAT_GROUP;
	if (e->modifiers & MOD_PRECISE_MAX)
		a->flags |= ATTR_PRECISE_MASK;
}

/* ---- cells ---- */

static bool among(const struct cpus *cpus, int32_t cpu)
{
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->at[i] == cpu)
			return true;
	return cpus->n == 0 || cpu < 0;
}

/* An event of CPUs has cells on CPUs, whatever the target: on those of its PMU, or all. */
static int cpus_of(const struct sonde_counter *c, size_t i, struct cpus *out)
{
	const struct event *e = &c->events.at[i];
	const struct cpus *all = c->target.measured.n ? &c->target.measured : &c->target.cpus;
	struct cpus online = { 0 };
	int r = 0;

	if (e->system_wide && !c->target.system_wide && cpus_online(&online, c->roots.sysfs) == 0)
		all = &online;
	for (size_t k = 0; r == 0 && k < all->n; k++)
		if (among(&e->cpus, all->at[k]))
			r = vec_push(out, all->at[k]);
	vec_free(&online);
	return r;
}

static int make_cells(struct sonde_counter *c, size_t i)
{
	static const int32_t any = -1;
	struct counted *e = &c->counted.at[i];
	struct cpus cpus = { 0 };
	bool no_task = e->event.system_wide || e->cgroup >= 0;
	const int32_t *tids = no_task ? &any : c->target.tids.at;
	size_t nr_tids = no_task ? 1 : c->target.tids.n;

	if (cpus_of(c, i, &cpus) < 0)
		return err_nomem(&c->err);
	if (cpus.n == 0) {
		vec_free(&cpus);
		return err_set(&c->err, SONDE_MISSING, SONDE_NONE,
			       "cannot count %.80s: none of its CPUs is in the target", e->event.name);
	}
	e->cells = calloc(nr_tids * cpus.n, sizeof(*e->cells));
	if (!e->cells) {
		vec_free(&cpus);
		return err_nomem(&c->err);
	}
	e->nr_cells = nr_tids * cpus.n;
	for (size_t k = 0; k < e->nr_cells; k++)
		e->cells[k].value = (struct sonde_counter_value){ .fd = -1, .id = SONDE_NONE,
			.tid = tids[k / cpus.n], .cpu = cpus.at[k % cpus.n] };
	vec_free(&cpus);
	return 0;
}

static size_t fds_needed(const struct sonde_counter *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->counted.n; i++)
		n += c->counted.at[i].nr_cells ? c->counted.at[i].nr_cells :
			c->target.tids.n * (c->target.measured.n ? c->target.measured.n : c->target.cpus.n);
	return n;
}

/* The cell of the leader on the same thread and CPU; -1: there is none. */
static int leader_fd(const struct sonde_counter *c, size_t i, size_t k)
{
	const struct counted *leader = &c->counted.at[c->events.at[i].leader];
	const struct sonde_counter_value *mine = &c->counted.at[i].cells[k].value;

	/* as a rule it is the cell of the same number */
	for (size_t n = 0; n < leader->nr_cells; n++) {
		const struct sonde_counter_value *its = &leader->cells[(k + n) % leader->nr_cells].value;

		if (its->tid == mine->tid && its->cpu == mine->cpu)
			return its->fd;
	}
	return -1;
}

static int try_cell(struct sonde_counter *c, size_t i, struct count_cell *cell, int group)
{
	const struct counted *e = &c->counted.at[i];
	int32_t task = e->cgroup >= 0 ? e->cgroup : cell->value.tid;
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (e->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
	int fd = c->calls->open(&c->events.at[i].attr, task, cell->value.cpu, group, flags);

	if ((fd == -EMFILE || fd == -ENFILE) && c->opts.more_files && c->opts.more_files(c->opts.ctx))
		fd = c->calls->open(&c->events.at[i].attr, task, cell->value.cpu, group, flags);
	return fd;
}

/* Only user space, if nothing says that the kernel is wanted. */
static int use_user_only(struct sonde_counter *c, size_t i)
{
	struct event *e = &c->events.at[i];
	char name[320];

	snprintf(name, sizeof(name), "%s%su", e->name, strchr(e->name, ':') ? "" : ":");
	e->attr.flags |= SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV;
	e->name = arena_strndup(&c->events.arena, name, strlen(name));
	if (!e->name)
		return err_nomem(&c->err);
	c->counted.at[i].event.name = e->name;
	return 1;
}

/* Changes the attr so that opening the first cell may succeed. 1: try again, 0: nothing can be done. */
static int do_with_less(struct sonde_counter *c, size_t i, int sys_errno)
{
	struct event *e = &c->events.at[i];
	struct sonde_attr *a = &e->attr;
	uint32_t uid;

	if ((sys_errno == EACCES || sys_errno == EPERM) && c->opts.best_effort && !c->target.system_wide &&
	    !e->system_wide && !(a->flags & SONDE_ATTR_EXCLUDE_KERNEL) && a->type != PERF_TYPE_TRACEPOINT &&
	    !(e->modifiers & (MOD_KERNEL | MOD_HV)) && advice_foreign_task(&c->target, &uid) < 0)
		return use_user_only(c, i);
	if (sys_errno != EINVAL && sys_errno != EOPNOTSUPP)
		return 0;
	if (e->modifiers & MOD_PRECISE_MAX && a->flags & ATTR_PRECISE_MASK) {
		a->flags -= UINT64_C(1) << ATTR_PRECISE_SHIFT;
		return 1;
	}
	/* before Linux 6.0 */
	if (a->read_format & FORMAT_LOST) {
		a->read_format &= ~(uint64_t)FORMAT_LOST;
		return 1;
	}
	/* before Linux 4.16 no group was read at once if it was inherited */
	if (a->flags & SONDE_ATTR_INHERIT && a->read_format & PERF_FORMAT_GROUP && e->leader == i) {
		a->read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		return 1;
	}
	if (e->leader == i && !(a->flags & (ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST)) &&
	    a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT && a->type != PERF_TYPE_BREAKPOINT) {
		a->flags |= ATTR_EXCLUDE_GUEST;
		return 1;
	}
	return 0;
}

/* The kernel takes one expression for an event. */
static int set_filters(struct sonde_counter *c, size_t i, int fd)
{
	const struct event *e = &c->events.at[i];
	char text[4096];
	size_t n = 0;

	if (e->filters.n == 0)
		return 0;
	for (size_t k = 0; k < e->filters.n && n < sizeof(text); k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s(%s)", k ? " && " : "", e->filters.at[k]);
	if (n >= sizeof(text))
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the filters of %.80s are too long", e->name);
	if (c->calls->control(fd, PERF_EVENT_IOC_SET_FILTER, text) < 0)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE,
			       "%.80s: the kernel does not accept the filter '%.100s'", e->name, text);
	return 0;
}

/* A page to read the counter by, or with a ring after it to poll for overflows. */
static int map_cell(struct sonde_counter *c, size_t i, struct count_cell *cell)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bool ring = c->opts.rings && c->events.at[i].attr.sample_period;

	if (!ring && !c->opts.user_reads)
		return 0;
	cell->map = c->calls->map(cell->value.fd, ring ? 2 * page : page);
	cell->map_bytes = ring ? 2 * page : page;
	if (ring && !cell->map)
		return err_sys(&c->err, errno, "cannot map a ring for %.80s", c->events.at[i].name);
	return 0;
}

/* ---- events ---- */

static void refuse(struct sonde_counter *c, size_t i)
{
	struct counted *e = &c->counted.at[i];

	counter_close_event(e);
	snprintf(e->refusal, sizeof(e->refusal), "%s", c->err.text);
	e->event.refusal = e->refusal;
	err_clear(&c->err);
}

/* The errno of the first cell that cannot be opened, -1 after another failure, 0. */
static int open_cells(struct sonde_counter *c, size_t i)
{
	struct counted *e = &c->counted.at[i];
	bool leads = c->events.at[i].leader == i, any = false;

	for (size_t k = 0; k < e->nr_cells; k++) {
		struct count_cell *cell = &e->cells[k];
		int group = leads ? -1 : leader_fd(c, i, k), fd;

		if (!leads && group < 0)
			continue;            /* the task has ended meanwhile */
		fd = try_cell(c, i, cell, group);
		while (fd < 0 && !any) {
			int again = do_with_less(c, i, -fd);

			if (again <= 0)
				break;
			fd = try_cell(c, i, cell, group);
		}
		if (fd == -ESRCH && c->target.tids.n > 1)
			continue;
		if (fd < 0)
			return -fd;
		cell->value.fd = fd;
		any = true;
		if (set_filters(c, i, fd) < 0 || map_cell(c, i, cell) < 0)
			return -1;
	}
	return any ? 0 : ESRCH;
}

/* A weak group that does not fit becomes events on their own. */
static void dissolve(struct sonde_counter *c, size_t leader)
{
	uint64_t start = c->events.at[leader].attr.flags & (SONDE_ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);

	for (size_t i = leader; i < c->events.n; i++) {
		struct counted *e = &c->counted.at[i];

		if (c->events.at[i].leader != leader)
			continue;
		counter_close_event(e);
		e->event.leader = i;
		e->event.in_group = false;
		c->events.at[i].leader = (uint32_t)i;
		c->events.at[i].attr.flags |= start;
		c->events.at[i].attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	}
}

static bool is_weak(const struct sonde_counter *c, size_t i)
{
	return (c->events.at[i].modifiers | c->events.at[c->events.at[i].leader].modifiers) & MOD_WEAK;
}

/* 1: its group was dissolved, so that its events have to be opened again. */
static int open_event(struct sonde_counter *c, size_t i)
{
	struct counted *e = &c->counted.at[i];
	size_t leader = c->events.at[i].leader;
	struct refused why = { .event = &c->events.at[i], .target = &c->target, .member = leader != i,
			       .cgroup = e->event.cgroup };
	int r;

	if (e->nr_cells > 0)
		return 0;            /* it was open before a group was dissolved */
	if (leader != i && c->counted.at[leader].refusal[0]) {
		err_set(&c->err, SONDE_UNSUPPORTED, SONDE_NONE,
			"cannot count %.80s: %.80s, which leads its group, is not counted", e->event.name,
			c->counted.at[leader].event.name);
		refuse(c, i);
		return 0;
	}
	if (c->events.at[i].attr.type == EVENT_TYPE_TOOL) {
		r = err_set(&c->err, SONDE_UNSUPPORTED, SONDE_NONE, "the kernel does not count %.80s", e->event.name);
		if (c->opts.best_effort)
			refuse(c, i);
		return c->opts.best_effort ? 0 : r;
	}
	r = make_cells(c, i);
	if (r < 0)
		return r;
	r = open_cells(c, i);
	if (r == 0)
		return 0;
	if (r < 0)
		return -(int)c->err.code;
	if (r == EINVAL && leader != i && is_weak(c, i)) {
		dissolve(c, leader);
		return 1;
	}
	why.nr_fds = fds_needed(c);
	refusal(&c->err, &why, r);
	if (!c->opts.best_effort || !refusal_is_absence(r))
		return -(int)c->err.code;
	refuse(c, i);
	return 0;
}

static int open_cgroups(struct sonde_counter *c)
{
	for (size_t i = 0; i < c->counted.n; i++) {
		struct counted *e = &c->counted.at[i];
		int fd;

		if (!e->event.cgroup)
			continue;
		if (!c->target.system_wide)
			return err_set(&c->err, SONDE_USAGE, SONDE_NONE,
				       "the tasks of a cgroup are counted on CPUs: the target has to be all CPUs or "
				       "some of them");
		fd = cgroup_open_here(e->event.cgroup, &c->err);
		if (fd < 0)
			return fd;
		e->cgroup = fd;
	}
	return 0;
}

static int resolve_target(struct sonde_counter *c)
{
	const struct sonde_counter_opts *o = &c->opts;
	struct sonde_perf_recorder_opts words = {
		.target = { .pids = o->pids, .nr_pids = o->nr_pids, .tids = o->tids, .nr_tids = o->nr_tids,
			    .all_cpus = o->all_cpus, .cpus = o->cpus, .per_thread = true },
	};
	int32_t self = o->command ? (int32_t)c->child.pid : (int32_t)syscall(SYS_gettid);

	c->target.skip_ended = o->skip_ended;
	return target_resolve(&c->target, &words, self, c->roots.sysfs, &c->err);
}

static int prepare_command(struct sonde_counter *c)
{
	const char *const *argv = c->opts.command;
	int r;

	if (!argv)
		return 0;
	if (!argv[0])
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the command has no words");
	c->command_name = arena_strndup(&c->events.arena, argv[0], strlen(argv[0]));
	if (!c->command_name)
		return err_nomem(&c->err);
	r = child_prepare(&c->child, argv, false, &c->err);
	if (r < 0)
		return r;
	c->command.pid = (int32_t)c->child.pid;
	c->command.fd = c->child.pidfd;
	return 0;
}

int counter_open(struct sonde_counter *c, const struct sonde_counter_opts *opts)
{
	size_t open_fds = 0;
	int r;

	if (c->opened)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter is open already");
	if (c->events.n == 0)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter has no events");
	r = OPTS_TAKE(sonde_counter_opts, &c->opts, opts, &c->err);
	r = r < 0 ? r : prepare_command(c);
	r = r < 0 ? r : resolve_target(c);
	r = r < 0 ? r : open_cgroups(c);
	for (size_t i = 0; r == 0 && i < c->events.n; i++)
		set_attr(c, i);
	for (size_t i = 0; r == 0 && i < c->events.n;) {
		size_t leader = c->events.at[i].leader;

		r = open_event(c, i);
		i = r == 1 ? leader : i + 1;
		r = r == 1 ? 0 : r;
	}
	for (size_t i = 0; i < c->counted.n; i++)
		open_fds += c->counted.at[i].nr_cells;
	if (r == 0 && open_fds == 0 && !c->opts.best_effort)
		r = err_set(&c->err, SONDE_UNSUPPORTED, SONDE_NONE, "none of the events can be counted");
	c->opened = r == 0;
	if (r < 0)
		counter_close(c);
	return r;
}
