/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/base/text_output.h"
#include "api/record/live.h"
#include "api/record/symbol_offset.h"
#include "base/fd_io.h"
#include "base/opts.h"
#include "perfdata/format/attr_text.h"
#include "perfdata/write/packed_sink.h"
#include "perfdata/write/writer.h"
#include "record/event/branch_filter.h"
#include "record/event/event_cgroup.h"
#include "record/event/event_list.h"
#include "record/event/event_name.h"
#include "record/event/pfm_events.h"
#include "record/ftrace/instance.h"
#include "record/host/cgroup.h"
#include "record/host/pmu.h"
#include "record/host/tracefs.h"
#include "record/perf/aux_filter.h"
#include "record/perf/aux_kind.h"
#include "record/perf/reader_plan.h"
#include "record/perf/recorder.h"

int sonde_branch_filter_parse(const char *text, uint64_t *bits, const char **bad)
{
	return branch_filter_parse(text, bits, bad) ? 0 : -SONDE_USAGE;
}

int sonde_perf_recorder_check_readers(const char *text, struct sonde_error *err)
{
	err_clear(err);
	return reader_plan_check(text, err);
}

const char *sonde_branch_filter_at(size_t i)
{
	return branch_filter_at(i);
}

const char *sonde_perf_recorder_event_at(size_t i)
{
	return event_name_at(i);
}

struct sonde_perf_recorder *sonde_perf_recorder_new(void)
{
	struct sonde_perf_recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->roots = (struct event_roots){ "/sys", tracefs_find(), .symbol_offset = symbol_offset_of_file,
					 .kernel_symbol = symbol_address_in_kernel,
					 .sdt_place = sdt_place_of_file };
	r->child = CHILD_NONE;
	r->trigger = TRIGGER_NONE;
	r->bpf_loads = BPF_LOADS_NONE;
	r->procfs = "/proc";
	r->stats.wait_status = -1;
	err_clear(&r->err);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return r;
}

void sonde_perf_recorder_free(struct sonde_perf_recorder *r)
{
	if (r) {
		vendor_events_free(&r->vendor);
		live_cancel(r->live);
		recorder_release(r);
		live_free(r->live);
	}
	free(r);
}

int sonde_perf_recorder_add_event(struct sonde_perf_recorder *r, const char *text)
{
	size_t first = r->events.n;
	int e;

	err_clear(&r->err);
	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "events are added before the recorder is opened");
	e = events_parse(&r->events, text, &r->roots, &r->err);
	if (e == 0)
		r->first_of_last_add = first;
	return e;
}

int sonde_perf_recorder_add_switch_event(struct sonde_perf_recorder *r, const char *text)
{
	err_clear(&r->err);
	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "events are added before the recorder is opened");
	return trigger_add(&r->trigger, text, &r->roots, &r->err);
}

int sonde_perf_recorder_add_pfm_events(struct sonde_perf_recorder *r, const char *text)
{
	size_t first = r->events.n;
	int e;

	err_clear(&r->err);
	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "events are added before the recorder is opened");
	e = pfm_events_add(&r->events, text, &r->err);
	if (e == 0)
		r->first_of_last_add = first;
	return e;
}

int sonde_perf_recorder_add_event_file(struct sonde_perf_recorder *r, const char *path)
{
	err_clear(&r->err);
	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "files of events are added before the recorder is opened");
	r->roots.vendor = &r->vendor;
	return vendor_events_load(&r->vendor, path, &r->err);
}

/* Flags of an attr that are the user's; the others are the recorder's. */
#define ATTR_FLAGS_OF_USER (SONDE_ATTR_FREQ | SONDE_ATTR_EXCLUDE_USER | SONDE_ATTR_EXCLUDE_KERNEL | \
			    SONDE_ATTR_EXCLUDE_HV | ATTR_EXCLUDE_IDLE | ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST | \
			    ATTR_PRECISE_MASK | ATTR_PINNED | ATTR_EXCLUSIVE | ATTR_AUX_OUTPUT | \
			    ATTR_INHERIT_THREAD | ATTR_REMOVE_ON_EXEC | ATTR_SIGTRAP)

int sonde_perf_recorder_add_attr(struct sonde_perf_recorder *r, const struct sonde_attr *attr, const char *name)
{
	struct event e = event_blank(attr->type, attr->config);

	err_clear(&r->err);
	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "events are added before the recorder is opened");
	e.attr = *attr;
	e.attr.flags &= ATTR_FLAGS_OF_USER & ~SONDE_ATTR_FREQ;
	*(attr->flags & SONDE_ATTR_FREQ ? &e.freq : &e.period) = attr->sample_period;
	e.branch_given = attr->branch_sample_type != 0;
	e.leader = (uint32_t)r->events.n;
	e.name = arena_strndup(&r->events.arena, name, strlen(name));
	if (!e.name || vec_push(&r->events, e) < 0)
		return err_nomem(&r->err);
	r->first_of_last_add = e.leader;
	return 0;
}

/* The filter as the kernel takes it, in the arena of the events; NULL after an error. */
static const char *make_filter(struct sonde_perf_recorder *r, const struct event *e, const char *text)
{
	struct buf b = BUF_MEMORY;
	const char *filter;

	if (e->system)
		buf_put(&b, text, strlen(text) + 1);
	else if (aux_filter_resolve(text, &r->roots, &b, &r->err) < 0)
		b.n = 0;
	filter = b.n && !b.failed ? arena_strndup(&r->events.arena, b.p, b.n - 1) : NULL;
	buf_free(&b);
	if (!filter && !r->err.code)
		err_nomem(&r->err);
	return filter;
}

int sonde_perf_recorder_add_filter(struct sonde_perf_recorder *r, const char *text)
{
	bool any = false;

	err_clear(&r->err);
	for (size_t i = r->first_of_last_add; i < r->events.n; i++) {
		const char *filter;

		if (!r->events.at[i].system && !aux_kind_find(r->events.at[i].pmu))
			continue;
		any = true;
		filter = make_filter(r, &r->events.at[i], text);
		if (!filter)
			return -(int)r->err.code;
		if (vec_push(&r->events.at[i].filters, filter) < 0)
			return err_nomem(&r->err);
	}
	if (!any)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "a filter follows the tracepoints or the hardware trace that it is for");
	return 0;
}

static int make_sink(const struct sonde_perf_recorder_opts *opts, const char *part, struct sink **out,
		     struct sonde_error *err)
{
	const char *path = opts->output ? opts->output : "perf.data";
	int fd = opts->file.to_fd ? opts->file.output_fd : strcmp(path, "-") ? -1 : STDOUT_FILENO;
	int r = part ? writer_part(part, out, err) : fd < 0 ? writer_file(path, out, err) :
							      writer_stream(fd, out, err);

	if (r < 0 || !opts->file.compression_level)
		return r;
	return packed_sink_new(*out, opts->file.compression_level, opts->file.aligned, out, err);
}

static int deliver(void *recorder, struct live *l)
{
	struct sonde_perf_recorder *r = recorder;
	int e = live_deliver(l, &r->opts);

	if (e != 0)                  /* the end of the stream is not the cause */
		sonde_perf_recorder_stop(r);
	return e;
}

/* The records go through a pipe to a thread that decodes them. */
static int open_live(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{
	struct sonde_perf_recorder_opts own;
	int e = OPTS_TAKE(sonde_perf_recorder_opts, &own, opts, &r->err);

	if (e < 0)
		return e;
	if (own.output || own.file.to_fd || own.switching.switch_output)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "events go to a file or to a function, not to both");
	e = live_new(deliver, r, &r->live, &r->err);
	if (e < 0)
		return e;
	own.sz = sizeof(own);
	own.file.to_fd = true;
	own.file.output_fd = live_fd(r->live);
	e = recorder_open(r, &own, make_sink);
	if (e < 0)
		live_cancel(r->live);
	return e;
}

int sonde_perf_recorder_open(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{
	err_clear(&r->err);
	if (!r->opened && r->roots.tracefs)
		ftrace_remove_leftovers(r->roots.tracefs, &(struct messenger){ OPT(opts, calls.message, NULL),
									       OPT(opts, calls.ctx, NULL) });
	if (!r->opened && OPT(opts, calls.event, NULL))
		return open_live(r, opts);
	return recorder_open(r, opts, make_sink);
}

int sonde_perf_recorder_plan(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{
	err_clear(&r->err);
	return recorder_plan(r, opts);
}

#define RULE "------------------------------------------------------------\n"

/* The name of the PMU in sysfs with this number; NULL if there is none. */
static const char *pmu_name(struct sonde_perf_recorder *r, uint32_t type)
{
	struct names all = { 0 };
	const char *found = NULL;
	struct pmu p;

	pmu_all(&r->arena, r->roots.sysfs, &all);
	for (size_t i = 0; i < all.n && !found; i++)
		if (pmu_open(&p, r->roots.sysfs, all.at[i]) && p.type == type)
			found = all.at[i];
	vec_free(&all);
	return found;
}

int sonde_perf_recorder_print_attrs(struct sonde_perf_recorder *r, const struct sonde_output *to)
{
	struct buf out = text_output(to, &r->err);
	int e;

	for (size_t i = 0; i < r->events.n; i++) {
		const struct event *event = &r->events.at[i];

		buf_str(&out, RULE "perf_event_attr:\n");
		attr_lines(&out, &event->attr, pmu_name(r, attr_pmu(&event->attr)), event->name);
		buf_str(&out, RULE);
	}
	e = buf_flush(&out);
	buf_free(&out);
	return e;
}

int sonde_perf_recorder_set_roots(struct sonde_perf_recorder *r, const char *sysfs, const char *tracefs)
{
	struct event_roots roots = r->roots;

	err_clear(&r->err);
	if (r->opened || r->events.n)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "the places of events are set before events are added");
	if (sysfs)
		roots.sysfs = arena_strndup(&r->arena, sysfs, strlen(sysfs));
	if (tracefs)
		roots.tracefs = arena_strndup(&r->arena, tracefs, strlen(tracefs));
	if ((sysfs && !roots.sysfs) || (tracefs && !roots.tracefs))
		return err_nomem(&r->err);
	r->roots = roots;
	return 0;
}

int sonde_perf_recorder_set_procfs(struct sonde_perf_recorder *r, const char *procfs)
{
	const char *kept = arena_strndup(&r->arena, procfs, strlen(procfs));

	err_clear(&r->err);
	if (!kept)
		return err_nomem(&r->err);
	r->procfs = kept;
	return 0;
}

int32_t sonde_perf_recorder_command_pid(const struct sonde_perf_recorder *r)
{
	return r->child.pid > 0 ? (int32_t)r->child.pid : -1;
}

int sonde_perf_recorder_run(struct sonde_perf_recorder *r)
{
	int e, live;

	err_clear(&r->err);
	e = recorder_run(r);
	if (!r->live)
		return e;
	recorder_close_output(r);
	live = live_finish(r->live, &r->err);
	return e < 0 ? e : live;
}

void sonde_perf_recorder_stop(struct sonde_perf_recorder *r)
{
	atomic_store(&r->stopping, true);
	fd_wake(r->stop_fd);
}

static int check_cgroups(struct sonde_perf_recorder *r)
{
	const char *last = NULL;
	int e = 0;

	for (size_t i = 0; e == 0 && i < r->events.n; i++) {
		const char *cgroup = r->events.at[i].cgroup;

		if (cgroup && cgroup != last)
			e = cgroup_check(cgroup, &r->err);
		last = cgroup;
	}
	return e;
}

int sonde_perf_recorder_add_cgroups(struct sonde_perf_recorder *r, const char *names)
{
	int e;

	err_clear(&r->err);
	e = event_cgroups_add(&r->events, names, &r->next_cgroup, &r->err);
	return e < 0 ? e : check_cgroups(r);
}

int sonde_perf_recorder_for_each_cgroup(struct sonde_perf_recorder *r, const char *names)
{
	int e;

	err_clear(&r->err);
	if (r->next_cgroup)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the events have control groups already");
	e = event_cgroups_expand(&r->events, names, &r->err);
	return e < 0 ? e : check_cgroups(r);
}

void sonde_perf_recorder_snapshot(struct sonde_perf_recorder *r)
{
	atomic_store(&r->snapshot_wanted, true);
	fd_wake(r->stop_fd);
}

static int not_open(const struct sonde_perf_recorder *r, struct sonde_error *err)
{
	return r->counters.fds ? 0 : err_set(err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
}

static int turn(struct sonde_perf_recorder *r, struct event_choice which, bool on)
{
	struct sonde_error own = { 0 };  /* r->err is that of the thread that runs the recorder */
	int e = not_open(r, &own);

	return e < 0 ? e : counters_turn(&r->counters, which, on, &own);
}

static int set_period(struct sonde_perf_recorder *r, struct event_choice which, uint64_t period)
{
	struct sonde_error own = { 0 };
	int e = not_open(r, &own);

	return e < 0 ? e : counters_set_period(&r->counters, which, period, &own);
}

static int set_filter(struct sonde_perf_recorder *r, struct event_choice which, const char *text)
{
	struct sonde_error own = { 0 };
	int e = not_open(r, &own);

	return e < 0 ? e : counters_set_filter(&r->counters, which, text, &own);
}

int sonde_perf_recorder_enable(struct sonde_perf_recorder *r, const char *name, bool on)
{
	return turn(r, events_named(name), on);
}

int sonde_perf_recorder_enable_at(struct sonde_perf_recorder *r, size_t i, bool on)
{
	return turn(r, (struct event_choice){ .index = i }, on);
}

int sonde_perf_recorder_set_period(struct sonde_perf_recorder *r, const char *name, uint64_t period)
{
	return set_period(r, events_named(name), period);
}

int sonde_perf_recorder_set_period_at(struct sonde_perf_recorder *r, size_t i, uint64_t period)
{
	return set_period(r, (struct event_choice){ .index = i }, period);
}

int sonde_perf_recorder_set_filter(struct sonde_perf_recorder *r, const char *name, const char *text)
{
	return set_filter(r, events_named(name), text);
}

int sonde_perf_recorder_set_filter_at(struct sonde_perf_recorder *r, size_t i, const char *text)
{
	return set_filter(r, (struct event_choice){ .index = i }, text);
}

const struct sonde_perf_recorder_stats *sonde_perf_recorder_stats(const struct sonde_perf_recorder *r)
{
	return &r->stats;
}

const struct sonde_error *sonde_perf_recorder_error(const struct sonde_perf_recorder *r)
{
	return &r->err;
}
