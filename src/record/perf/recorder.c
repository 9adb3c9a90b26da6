/* SPDX-License-Identifier: MIT */
#include "record/perf/recorder.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/opts.h"
#include "record/host/host.h"
#include "record/perf/describe.h"
#include "record/perf/losses.h"
#include "record/perf/plan.h"
#include "record/perf/priority.h"
#include "record/perf/rounds.h"

/* The slowest level of zstd that may hold a CPU against every other task. */
#define FAST_COMPRESSION 3

/* Offset of the time in samples, if it is the same for all events. */
static size_t time_offset(const struct events *list)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	uint64_t type = list->at[0].attr.sample_type & (before | PERF_SAMPLE_TIME);

	for (size_t i = 1; i < list->n; i++)
		if ((list->at[i].attr.sample_type & (before | PERF_SAMPLE_TIME)) != type)
			return 0;
	return type & PERF_SAMPLE_TIME ? 8 + 8 * (size_t)__builtin_popcountll(type & before) : 0;
}

static int prepare_record_stats(struct sonde_perf_recorder *r)
{
	struct record_stats *t = &r->record_stats;

	t->time_at = time_offset(&r->events);
	t->time_first = UINT64_MAX;
	t->nr_rings = 2 * r->rings.nr;
	t->binaries_wanted = !r->opts.no_build_ids;
	t->lost_by_ring = calloc(t->nr_rings, sizeof(*t->lost_by_ring));
	if (!t->lost_by_ring)
		return err_nomem(&r->err);
	for (size_t e = 0; e < r->events.n; e++)
		for (size_t th = 0; th < r->target.tids.n; th++)
			for (size_t n = 0; n < r->target.cpus.n; n++) {
				size_t cell = counters_cell(&r->counters, e, th, n);

				if (r->counters.fds[cell] >= 0 &&
				    u64map_set(&t->ring_of_id, r->counters.ids[cell],
					       (uint32_t)ring_set_index(&r->rings, e, th, n)) < 0)
					return err_nomem(&r->err);
			}
	return 0;
}

static int check_opts(struct sonde_perf_recorder *r, const struct sonde_perf_recorder_opts *opts)
{

	memset(&r->opts, 0, sizeof(r->opts));
	if (!opts)
		return 0;
	if (OPTS_CHECK(sonde_perf_recorder_opts, opts, &r->err) < 0)
		return -SONDE_USAGE;
	memcpy(&r->opts, opts, opts->sz < sizeof(r->opts) ? opts->sz : sizeof(r->opts));
	if (r->opts.command && !r->opts.command[0])
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the command is empty");
	if (r->opts.user_only && r->opts.kernel_only)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "user_only and kernel_only exclude each other");
	if (r->opts.user_callchains && r->opts.kernel_callchains)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE,
			       "user_callchains and kernel_callchains exclude each other");
	return 0;
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
		const struct event *e = &r->events.at[i];

		if (e->attr.type == EVENT_TYPE_TOOL)
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s can be counted, but it has no samples that could be recorded", e->name);
		if (e->overwrite > 0)
			return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "%.80s: buffers that are overwritten are not supported", e->name);
	}
	return 0;
}

static int open_all(struct sonde_perf_recorder *r, recorder_sink make_sink)
{
	struct sonde_error *err = &r->err;
	int e;

	if ((e = default_event(r)) < 0 || (e = refuse_events(r)) < 0)
		return e;
	if (r->opts.command) {
		r->command_name = arena_strndup(&r->arena, r->opts.command[0], strlen(r->opts.command[0]));
		if (!r->command_name)
			return err_nomem(err);
		e = child_prepare(&r->child, r->opts.command, r->opts.output && !strcmp(r->opts.output, "-"), err);
		if (e < 0)
			return e;
	}
	e = target_resolve(&r->target, &r->opts, r->child.pid > 0 ? (int32_t)r->child.pid : -1, r->roots.sysfs, err);
	if (e < 0 || (e = plan_attrs(r)) < 0)
		return e;
	r->counters = (struct counters){ .list = &r->events, .target = &r->target, .messenger = &r->messenger,
					 .more_files = r->opts.more_files };
	e = counters_open(&r->counters, err);
	if (e < 0 || (e = ring_set_map(&r->rings, &r->counters, plan_ring_bytes(r), err)) < 0)
		return e;
	if (r->opts.ring_bytes > r->rings.bytes)
		messenger_say(
			&r->messenger,
			"rings of %zu KiB instead of %llu KiB: more may not be locked (kernel.perf_event_mlock_kb, "
			"ulimit -l)",
			r->rings.bytes >> 10, (unsigned long long)r->opts.ring_bytes >> 10);
	if ((e = prepare_record_stats(r)) < 0 || (e = describe_start(r)) < 0)
		return e;
	e = make_sink(&r->opts, &r->sink, err);
	if (e < 0 || (e = write_queue_start(&r->queue, r->sink, &r->record_stats, r->rings.bytes, err)) < 0)
		return e;
	if ((e = plan_leave_out_self(r)) < 0 || (e = counters_filter(&r->counters, err)) < 0)
		return e;
	e = r->sink->ops->start(r->sink, r->evsels, r->events.n, &r->meta, err);
	/* Readers take a file without records for a failed recording: write one at once. */
	if (e == 0 && ((e = rounds_put_mark(r)) < 0 || (e = write_queue_flush(&r->queue)) < 0))
		e = write_queue_finish(&r->queue, err);
	return e;
}

/* Nothing was recorded: removes the new file and restores the old one. */
static void give_up(struct sonde_perf_recorder *r)
{
	child_finish(&r->child);
	write_queue_finish(&r->queue, NULL);
	if (r->sink)
		r->sink->ops->discard(r->sink);
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
	r->messenger = (struct messenger){ r->opts.message, r->opts.ctx };
	if ((e = default_event(r)) < 0)
		return e;
	/* The task of a command that is not started: its number is in no attr. */
	e = target_resolve(&r->target, &r->opts, r->opts.command ? 0 : -1, r->roots.sysfs, &r->err);
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
	r->messenger = (struct messenger){ r->opts.message, r->opts.ctx };
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

/* ---- running ---- */

static int pause_synthesis(void *ctx)
{
	struct sonde_perf_recorder *r = ctx;
	ssize_t n = ring_set_drain(&r->rings, &r->queue, true);

	return n < 0 ? (int)n : write_queue_flush(&r->queue);
}

static bool synth_wanted(const struct sonde_perf_recorder *r, enum sonde_synth what)
{
	return !r->opts.synth || r->opts.synth & what;
}

static int synthesize(struct sonde_perf_recorder *r)
{
	const struct sonde_attr *first = &r->events.at[0].attr, *last = &r->events.at[r->events.n - 1].attr;
	const uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct synth s = {
		.queue = &r->queue,
		/* The id 0 stands for the first event. */
		.trailer_bytes = 8 * (size_t)__builtin_popcountll(first->sample_type & trailer),
		.data_maps = last->flags & ATTR_MMAP_DATA,
		.no_tasks = !synth_wanted(r, SONDE_SYNTH_TASKS), .no_maps = !synth_wanted(r, SONDE_SYNTH_MAPS),
		.namespaces = last->flags & ATTR_NAMESPACES, .pause = pause_synthesis, .ctx = r,
	};
	bool hidden;
	int e = synth_kernel(&s, &hidden);

	if (e == 0 && r->opts.all_cgroups && synth_wanted(r, SONDE_SYNTH_CGROUPS)) {
		e = synth_cgroups(&s);
		if (e == -SONDE_MISSING) {
			messenger_say(&r->messenger,
				      "existing control groups will have no names: no cgroup file system is "
				      "mounted");
			e = 0;
		}
	}
	if (hidden && !(first->flags & SONDE_ATTR_EXCLUDE_KERNEL))
		messenger_say(
			&r->messenger,
			"kernel.kptr_restrict hides the addresses of the kernel: its functions will have no names");
	/* A command that waits for its exec has no mappings yet. */
	if (e == 0 && !(s.no_tasks && s.no_maps) &&
	    (r->target.system_wide || r->opts.nr_pids || r->opts.nr_tids || r->opts.of_user))
		e = synth_tasks(&s, &r->target.pids);
	return e;
}

/* Runs after failures too, so that the written part of the file is of use. */
static int finish(struct sonde_perf_recorder *r)
{
	struct meta meta = { 0 };
	int e = write_queue_finish(&r->queue, &r->err), late;

	if (e == 0)
		e = losses_account(r);
	late = describe_end(r, &meta);
	if (e < 0)                   /* the last records are missing, and the file says so */
		meta_has(&meta, SONDE_FEAT_UNFINISHED);
	if (late == 0)
		late = r->sink->ops->finish(r->sink, &meta, &r->err);
	r->stats.samples = r->record_stats.samples;
	r->stats.lost = r->record_stats.lost;
	r->stats.throttled = r->record_stats.throttled;
	r->stats.bytes = r->sink->bytes;
	return e < 0 ? e : late;
}

/* The ring is emptied and the file written at one priority: neither waits for the other. */
static void raise_priority(struct sonde_perf_recorder *r, struct priority *before)
{
	int level = r->opts.realtime_priority ? (int)r->opts.realtime_priority : r->opts.prefer_realtime ? 1 : 0, e;
	struct priority of_writer;

	if (!level)
		return;
	e = priority_raise(before, pthread_self(), level);
	if (e == 0 && r->opts.compression_level <= FAST_COMPRESSION)
		e = priority_raise(&of_writer, r->queue.thread, level);
	if (e < 0 && r->opts.realtime_priority)
		messenger_say(&r->messenger, "cannot run at real-time priority %d: %s", level, strerror(-e));
}

static int begin(struct sonde_perf_recorder *r, uint64_t *enable_at)
{
	bool by_exec = r->events.at[0].attr.flags & ATTR_ENABLE_ON_EXEC;
	int e = synthesize(r);

	if (e < 0)
		return e;
	if (r->opts.delay_ms > 0)
		*enable_at = rounds_now_ms() + (uint64_t)r->opts.delay_ms;
	else if (!by_exec)
		e = counters_enable(&r->counters, true, &r->err);
	if (e == 0 && r->opts.progress)
		r->opts.progress(r->opts.ctx, write_queue_bytes(&r->queue));
	if (e == 0 && r->child.pid > 0)
		e = child_start(&r->child, r->command_name, &r->err);
	return e;
}

int recorder_run(struct sonde_perf_recorder *r)
{
	struct priority before = { 0 };
	uint64_t enable_at = 0;
	int e, late;

	if (!r->ready)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
	r->ready = false;
	r->rings.pollfds[2 * r->rings.nr].fd = r->stop_fd;
	r->rings.pollfds[2 * r->rings.nr + 1].fd = r->child.pidfd;
	raise_priority(r, &before);
	e = begin(r, &enable_at);
	if (e < 0 && r->child.pid > 0 && !r->child.started) {
		priority_restore(&before);
		give_up(r);
		return e;
	}
	r->ran = true;
	if (e == 0)
		e = rounds_until_end(r, enable_at);
	priority_restore(&before);
	late = finish(r);
	child_finish(&r->child);
	r->stats.wait_status = r->child.pid > 0 ? r->child.status : -1;
	return e < 0 ? (r->err.code ? -(int)r->err.code : e) : late;
}

void recorder_release(struct sonde_perf_recorder *r)
{
	if (!r->ran)
		give_up(r);
	child_finish(&r->child);
	write_queue_free(&r->queue);
	ring_set_free(&r->rings);
	counters_close(&r->counters);
	if (r->sink)
		r->sink->ops->free(r->sink);
	record_stats_free(&r->record_stats);
	target_free(&r->target);
	events_free(&r->events);
	arena_free(&r->arena);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
}
