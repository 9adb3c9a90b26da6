/* SPDX-License-Identifier: MIT */
#include "record/perf/recorder.h"

#include "record/perf/aux_plan.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/opts.h"
#include "record/perf/no_samples.h"
#include "record/perf/outfile.h"
#include "record/perf/plan.h"
#include "record/perf/priority.h"
#include "record/perf/rounds.h"

/* The slowest level of zstd that may hold a CPU against every other task. */
#define FAST_COMPRESSION 3

/* Windows follow each other. A delay is a window without an end. */
static int check_windows(struct sonde_perf_recorder *r)
{
	struct sonde_perf_recorder_opts *o = &r->opts;
	const struct sonde_perf_window delay = { .from_ms = o->when.delay_ms > 0 ? (uint64_t)o->when.delay_ms : 0 };
	uint64_t last = 0;

	if (o->when.delay_ms > 0 && o->when.nr_windows)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "delay_ms and windows exclude each other");
	for (size_t i = 0; i < o->when.nr_windows; i++) {
		const struct sonde_perf_window *w = &o->when.windows[i];

		if (w->from_ms < last || (w->to_ms ? w->to_ms <= w->from_ms : i + 1 < o->when.nr_windows))
			return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
				       "the windows have to follow each other, each with an end after its start");
		last = w->to_ms;
	}
	if (o->when.delay_ms > 0) {
		o->when.windows = &delay;
		o->when.nr_windows = 1;
	}
	r->windows = arena_memdup(&r->arena, o->when.windows, o->when.nr_windows * sizeof(delay));
	o->when.windows = r->windows;
	return r->windows || !o->when.nr_windows ? 0 : err_nomem(&r->err);
}

static int check_opts(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{
	memset(&r->opts, 0, sizeof(r->opts));
	if (!opts)
		return 0;
	if (OPTS_CHECK(sonde_perf_recorder_opts, opts, &r->err) < 0)
		return -SONDE_USAGE;
	memcpy(&r->opts, opts, opts->sz < sizeof(r->opts) ? opts->sz : sizeof(r->opts));
	if (r->opts.target.command && !r->opts.target.command[0])
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the command is empty");
	if (r->opts.user_only && r->opts.kernel_only)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "user_only and kernel_only exclude each other");
	if (r->opts.stack.user_callchains && r->opts.stack.kernel_callchains)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "user_callchains and kernel_callchains exclude each other");
	r->opts.switching.switch_output |= r->trigger.events.n > 0;
	if (r->opts.switching.switch_output && (r->opts.file.to_fd || (r->opts.output && !strcmp(r->opts.output, "-"))))
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "a stream has no name: it cannot be switched");
	if (r->opts.file.kcore &&
	    (r->opts.switching.switch_output || r->opts.file.to_fd || (r->opts.output && !strcmp(r->opts.output, "-"))))
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "kcore makes a directory: it is neither for a stream nor for several files");
	if (r->opts.file.readers &&
	    (r->opts.switching.switch_output || r->opts.file.to_fd || (r->opts.output && !strcmp(r->opts.output,
												 "-")) ||
	     r->opts.rings.overwrite || r->opts.rings.snapshot || r->opts.off_cpu || r->opts.target.per_thread ||
			     r->opts.rings.affinity))
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "readers exclude streams, switch_output, overwrite, snapshot, off_cpu, per_thread and "
			       "affinity");
	if (r->opts.off_cpu && r->opts.rings.overwrite)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "off_cpu and overwrite exclude each other");
	return check_windows(r);
}

/* Without any event, cycles are sampled. */
static int default_event(struct sonde_perf_recorder *r)
{
	return r->events.n ? 0 : events_parse(&r->events, "cycles:P", &r->roots, &r->err);
}

/* Events that can be counted, but not recorded. */
static int refuse_events(struct sonde_perf_recorder *r)
{
	for (size_t i = 0; i < r->events.n; i++) {
		struct event *e = &r->events.at[i];

		if (e->attr.type == EVENT_TYPE_TOOL)
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s can be counted, but it has no samples that could be recorded", e->name);
		if (r->opts.rings.overwrite && e->overwrite < 0)
			e->overwrite = 1;
		if ((e->overwrite > 0) != (r->events.at[0].overwrite > 0))
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s: the buffers of all events are overwritten, or none", e->name);
	}
	return 0;
}

static int open_all(struct sonde_perf_recorder *r, recorder_sink make_sink)
{
	struct sonde_error *err = &r->err;
	int e;

	if (r->roots.tracefs)
		probe_remove_leftovers(r->roots.tracefs, &r->messenger);
	if ((e = default_event(r)) < 0 || (e = aux_plan(r)) < 0 || (e = refuse_events(r)) < 0)
		return e;
	if (r->opts.target.command) {
		r->command_name = arena_strndup(&r->arena, r->opts.target.command[0],
						strlen(r->opts.target.command[0]));
		if (!r->command_name)
			return err_nomem(err);
		e = child_prepare(&r->child, r->opts.target.command, r->opts.output && !strcmp(r->opts.output, "-"),
				  err);
		if (e < 0)
			return e;
	}
	e = target_resolve(&r->target, &r->opts, r->child.pid > 0 ? (int32_t)r->child.pid : -1, r->roots.sysfs, err);
	if (e < 0 || (e = plan_attrs(r)) < 0)
		return e;
	r->counters = (struct counters){ .list = &r->events, .target = &r->target, .messenger = &r->messenger,
					 .more_files = r->opts.calls.more_files, .others_suffice = true };
	e = counters_open(&r->counters, err);
	if (e < 0 || (e = ring_set_map(&r->rings, &r->counters, plan_ring_bytes(r), err)) < 0 ||
	    (e = aux_plan_map(r)) < 0)
		return e;
	if (r->opts.file.readers && (r->rings.areas || r->rings.backward))
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "readers exclude hardware traces and buffers that are overwritten");
	if (r->rings.shrunk)
		messenger_say(&r->messenger,
			      "rings of %zu KiB instead of %zu KiB: more may not be locked "
			      "(kernel.perf_event_mlock_kb, ulimit -l)",
			      r->rings.bytes >> 10, plan_ring_bytes(r) >> 10);
	if ((e = outfile_open(r, make_sink)) < 0 || (e = plan_leave_out_self(r)) < 0 ||
	    (e = counters_filter(&r->counters, err)) < 0 ||
	    (e = trigger_open(&r->trigger, &r->opts, &r->counters, r->roots.sysfs, err)) < 0)
		return e;
	if (!r->opts.side.no_bpf_events)
		bpf_loads_open(&r->bpf_loads, r->roots.sysfs);
	return outfile_start(r);
}

/* Nothing was recorded: removes the new file and restores the old one. */
static void give_up(struct sonde_perf_recorder *r)
{
	child_finish(&r->child);
	readers_finish(&r->readers, NULL);
	write_queue_finish(&r->queue, NULL);
	for (size_t i = 0; i < r->readers.nr; i++)
		if (r->readers.at[i].sink)
			r->readers.at[i].sink->ops->discard(r->readers.at[i].sink);
	if (r->sink)
		r->sink->ops->discard(r->sink);
	outdir_discard(&r->outdir);
}

int recorder_plan(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{
	int e;

	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the recorder was opened before");
	r->opened = true;
	e = check_opts(r, opts);
	if (e < 0)
		return e;
	r->messenger = (struct messenger){ r->opts.calls.message, r->opts.calls.ctx };
	if ((e = default_event(r)) < 0 || (e = aux_plan(r)) < 0)
		return e;
	/* The task of a command that is not started: its number is in no attr. */
	e = target_resolve(&r->target, &r->opts, r->opts.target.command ? 0 : -1, r->roots.sysfs, &r->err);
	return e < 0 ? e : plan_attrs(r);
}

int recorder_open(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts, recorder_sink make_sink)
{
	int e;

	if (r->opened)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the recorder was opened before");
	r->opened = true;
	if (r->stop_fd < 0)
		return err_set(&r->err, SONDE_SYSTEM, SONDE_NONE, "cannot make an eventfd");
	e = check_opts(r, opts);
	if (e < 0)
		return e;
	r->messenger = (struct messenger){ r->opts.calls.message, r->opts.calls.ctx };
	r->control = (struct control){ .fd = r->opts.when.control ? r->opts.when.control_fd : -1,
				       .ack = r->opts.when.control ? r->opts.when.ack_fd : -1 };
	e = open_all(r, make_sink);
	if (e < 0)
		give_up(r);
	r->ready = e == 0;
	r->stats.nr_events = (uint32_t)r->events.n;
	r->stats.nr_fds = r->counters.nr_open;
	r->stats.nr_rings = (uint32_t)(2 * r->rings.nr);
	r->stats.ring_bytes = r->rings.bytes;
	return e;
}

/* The ring is emptied and the file written at one priority: neither waits for the other. */
static void raise_priority(struct sonde_perf_recorder *r, struct priority *before)
{
	int level = r->opts.rings.realtime_priority ? (int)r->opts.rings.realtime_priority :
			r->opts.rings.prefer_realtime ? 1 : 0, e;
	struct priority of_writer;

	if (!level)
		return;
	e = priority_raise(before, pthread_self(), (pid_t)syscall(SYS_gettid), level);
	if (r->opts.file.compression_level <= FAST_COMPRESSION)
		priority_raise(&of_writer, r->queue.thread, r->queue.tid, level);
	for (size_t i = 0; i < r->readers.nr; i++) {
		struct ring_reader *one = &r->readers.at[i];

		priority_raise(&of_writer, one->thread, one->tid, level);
		if (r->opts.file.compression_level <= FAST_COMPRESSION)
			priority_raise(&of_writer, one->queue.thread, one->queue.tid, level);
	}
	if (e < 0 && r->opts.rings.realtime_priority)
		messenger_say(&r->messenger, "cannot run at real-time priority %d: %s", level, strerror(-e));
}

static int begin(struct sonde_perf_recorder *r)
{
	bool by_exec = r->events.at[0].attr.flags & ATTR_ENABLE_ON_EXEC;
	int e = r->opts.side.tail_synthesis ? 0 : outfile_describe(r);

	if (e < 0)
		return e;
	if (!by_exec && !r->opts.when.nr_windows && !r->opts.when.start_disabled)
		e = counters_enable(&r->counters, true, &r->err);
	if (e == 0 && r->opts.calls.progress)
		r->opts.calls.progress(r->opts.calls.ctx, write_queue_bytes(&r->queue));
	if (e == 0 && r->child.pid > 0)
		e = child_start(&r->child, r->command_name, &r->err);
	return e;
}

int recorder_run(struct sonde_perf_recorder *r)
{
	struct priority before = { 0 };
	int e, late;

	if (!r->ready)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
	r->ready = false;
	raise_priority(r, &before);
	e = affinity_start(&r->rings.affinity, r->opts.rings.affinity, r->roots.sysfs) < 0 ? err_nomem(&r->err) :
			begin(r);
	if (e < 0 && r->child.pid > 0 && !r->child.started) {
		affinity_end(&r->rings.affinity);
		priority_restore(&before);
		give_up(r);
		return e;
	}
	r->ran = true;
	if (e == 0)
		e = rounds_until_end(r);
	if (e == 0 && r->opts.side.tail_synthesis)
		e = outfile_describe(r);
	affinity_end(&r->rings.affinity);
	priority_restore(&before);
	late = outfile_finish(r);
	child_finish(&r->child);
	r->stats.why_empty = r->stats.samples ? NULL : no_samples_reason(r);
	r->stats.wait_status = r->child.pid > 0 ? r->child.status : -1;
	return e < 0 ? (r->err.code ? -(int)r->err.code : e) : late;
}

void recorder_close_output(struct sonde_perf_recorder *r)
{
	if (r->sink)
		r->sink->ops->free(r->sink);
	r->sink = NULL;
}

void recorder_release(struct sonde_perf_recorder *r)
{
	if (!r->ran)
		give_up(r);
	child_finish(&r->child);
	readers_free(&r->readers);
	write_queue_free(&r->queue);
	binary_cache_free(r->binary_cache);
	ring_set_free(&r->rings);
	counters_close(&r->counters);
	recorder_close_output(r);
	record_stats_free(&r->record_stats);
	off_cpu_free(&r->off_cpu);
	bpf_programs_free(&r->bpf);
	outfile_forget(r);
	trigger_close(&r->trigger);
	bpf_loads_close(&r->bpf_loads);
	target_free(&r->target);
	events_free(&r->events);
	arena_free(&r->arena);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
}
