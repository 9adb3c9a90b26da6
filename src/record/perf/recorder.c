/* SPDX-License-Identifier: MIT */
#include "record/perf/recorder.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/opts.h"
#include "record/perf/describe.h"
#include "record/perf/event_attr.h"
#include "record/host/host.h"

#define RING_DEFAULT_BYTES    (512u << 10)   /* what kernel.perf_event_mlock_kb permits everybody per CPU */
#define RING_MAX_BYTES        (16u << 20)
#define RING_TRACEPOINT_BYTES (4u << 20)
#define RINGS_TOTAL_BYTES     (UINT64_C(256) << 20)
#define WATERMARK_MAX_BYTES   (512u << 10)
#define IDLE_MS               500            /* the longest wait of a record */
#define MARK_MS               200
#define FLUSH_MS              100
#define FINISHED_ROUND        68
#define FORMAT_LOST           (UINT64_C(1) << 4)

static bool is_tracepoint_of_syscalls(const struct event *e)
{
	return e->system && (!strcmp(e->system, "syscalls") || !strcmp(e->system, "raw_syscalls"));
}

/*
 * The size of a ring. For root it holds 100 ms at the wanted rate. Tracepoints come at any rate.
 */
static size_t ring_bytes(const struct sonde_perf_recorder *r)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0, limit, want = page;

	if (r->opts.ring_bytes) {
		limit = bytes = r->opts.ring_bytes;
	} else if (geteuid() != 0) {
		limit = bytes = RING_DEFAULT_BYTES;
	} else {
		for (size_t i = 0; i + 1 < r->events.n; i++) {
			const struct sonde_attr *a = &r->events.at[i].attr;

			bytes += a->flags & SONDE_ATTR_FREQ ? attr_sample_bytes(a) * a->sample_period / 10 :
							      RING_TRACEPOINT_BYTES;
		}
		limit = RINGS_TOTAL_BYTES / r->target.cpus.n;
		limit = limit < RING_MAX_BYTES ? limit : RING_MAX_BYTES;
		limit = limit > RING_DEFAULT_BYTES ? limit : RING_DEFAULT_BYTES;
		bytes = bytes > RING_DEFAULT_BYTES ? bytes : RING_DEFAULT_BYTES;
	}
	bytes = bytes < limit ? bytes : limit;
	while (want < bytes && want < SIZE_MAX / 4)
		want *= 2;
	return (size_t)want;
}

static bool any_callgraph(const struct sonde_perf_recorder *r, enum callgraph how)
{
	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].callgraph == how)
			return true;
	return false;
}

static void tell_about_call_chains(const struct sonde_perf_recorder *r)
{
	if (any_callgraph(r, CALLGRAPH_DWARF))
		messenger_say(&r->messenger,
			      "the copied stacks are not unwound by sonde yet, which shows no callers in "
			      "user space; perf report and perf script unwind them");
	if (any_callgraph(r, CALLGRAPH_LBR) && r->opts.branch_sample_type)
		messenger_say(&r->messenger,
			      "the processor's branch records cannot hold stacks and other branches at once: "
			      "call chains are recorded by frame pointers");
}

static void make_one_group(struct events *list)
{
	for (size_t i = 0; i < list->n; i++) {
		list->at[i].leader = 0;
		list->at[i].group = "";
	}
}

static int plan_attrs(struct sonde_perf_recorder *r)
{
	const struct sonde_perf_recorder_opts *o = &r->opts;
	bool tasks_given = o->nr_pids || o->nr_tids || o->of_user;
	struct attr_plan plan = {
		.opts = o, .per_cpu_target = r->target.system_wide,
		.starts_with_exec = o->command && !tasks_given && !r->target.system_wide && o->delay_ms <= 0,
		.inherit = !o->no_inherit && !o->per_thread && !o->nr_tids,
		.read_format = PERF_FORMAT_ID | FORMAT_LOST |
			       (o->task_counts ? PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : 0),
	};
	size_t watermark;
	int e;

	sysfile_u64(&plan.max_freq_hz, "/proc/sys/kernel/perf_event_max_sample_rate");
	if (o->strict_freq && plan.max_freq_hz && o->freq_hz > plan.max_freq_hz)
		return err_set(&r->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%llu Hz is more than kernel.perf_event_max_sample_rate permits: %llu",
			       (unsigned long long)o->freq_hz, (unsigned long long)plan.max_freq_hz);
	if (plan.max_freq_hz && o->freq_hz > plan.max_freq_hz)
		messenger_say(&r->messenger, "%llu Hz is lowered to %llu Hz: kernel.perf_event_max_sample_rate",
			      (unsigned long long)o->freq_hz, (unsigned long long)plan.max_freq_hz);
	for (size_t i = 0; i < r->events.n; i++)
		if (r->events.at[i].modifiers & MOD_READ)
			plan.read_format |= PERF_FORMAT_GROUP;
	if (o->group_all)
		make_one_group(&r->events);
	e = attrs_configure(&r->events, &plan, &r->err);
	if (e < 0)
		return e;
	tell_about_call_chains(r);
	if (o->no_buffering)
		return 0;
	watermark = ring_bytes(r) / 4;
	if (watermark > WATERMARK_MAX_BYTES)
		watermark = WATERMARK_MAX_BYTES;
	for (size_t i = 0; i < r->events.n; i++)
		r->events.at[i].attr.wakeup_events = (uint32_t)watermark;
	r->events.at[r->events.n - 1].attr.wakeup_events = (uint32_t)(watermark < 16384 ? watermark : 16384);
	return 0;
}

/* Without this filter the recorder would record the system calls of its recording. */
static int leave_out_self(struct sonde_perf_recorder *r)
{
	char text[96];

	snprintf(text, sizeof(text), "common_pid != %d && common_pid != %d", (int)syscall(SYS_gettid),
		 (int)r->queue.tid);
	for (size_t i = 0; i < r->events.n; i++) {
		struct event *e = &r->events.at[i];
		const char *filter;

		if (!e->system || !(r->opts.exclude_self || (r->target.system_wide && is_tracepoint_of_syscalls(e))))
			continue;
		filter = arena_strndup(&r->events.arena, text, strlen(text));
		if (!filter || vec_push(&e->filters, filter) < 0)
			return err_nomem(&r->err);
	}
	return 0;
}

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

static int put_round_mark(struct sonde_perf_recorder *r)
{
	const struct perf_event_header h = { .type = FINISHED_ROUND, .size = sizeof(h) };

	return write_queue_put(&r->queue, &h, sizeof(h));
}

static int open_all(struct sonde_perf_recorder *r, recorder_sink make_sink)
{
	struct sonde_error *err = &r->err;
	int e;

	if (r->events.n == 0 && events_parse(&r->events, "cycles:P", &r->roots, err) < 0)
		return -(int)err->code;
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
	if (e < 0 || (e = ring_set_map(&r->rings, &r->counters, ring_bytes(r), err)) < 0)
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
	if ((e = leave_out_self(r)) < 0 || (e = counters_filter(&r->counters, err)) < 0)
		return e;
	e = r->sink->ops->start(r->sink, r->evsels, r->events.n, &r->meta, err);
	/* Readers take a file without records for a failed recording: write one at once. */
	if (e == 0 && ((e = put_round_mark(r)) < 0 || (e = write_queue_flush(&r->queue)) < 0))
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

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void set_realtime(struct sonde_perf_recorder *r)
{
	struct sched_param p = { .sched_priority = (int)r->opts.realtime_priority };

	if (p.sched_priority && sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) < 0)
		messenger_say(&r->messenger, "cannot run at real-time priority %d: %s", p.sched_priority,
			      strerror(errno));
}

/* Shall the recording end? The end of the command is another matter. */
static bool asked_to_end(struct sonde_perf_recorder *r)
{
	if (r->opts.max_bytes && write_queue_bytes(&r->queue) >= r->opts.max_bytes)
		r->stats.full = true;
	return r->stats.full || atomic_load(&r->stopping) || (!r->command_name && ring_set_ended(&r->rings));
}

/* The state of the loop over the rings from round to round; times are those of now_ms(). */
struct rounds {
	uint64_t enable_at;          /* 0: not by this loop */
	uint64_t marked_at, flushed_at, told_at;
	bool unmarked;               /* something came since the last mark */
	bool ending;
};

/*
 * A FINISHED_ROUND tells readers that sort by time: no record older than the previous mark follows. The kernel takes
 * the time of an event first and publishes the event later; interrupts or a stopped virtual CPU may come between. So a
 * mark needs a round that began long after the previous mark.
 */
static int mark_round(struct sonde_perf_recorder *r, struct rounds *s, uint64_t began)
{
	int e;

	if (!s->unmarked || began < s->marked_at + MARK_MS)
		return 0;
	e = put_round_mark(r);
	s->marked_at = now_ms();
	s->unmarked = false;
	return e;
}

/* Wakes the writing thread seldom: wake-ups are scheduler events, which may be recorded. */
static int flush_round(struct sonde_perf_recorder *r, struct rounds *s, uint64_t began, bool idle)
{
	if (!idle && !s->ending && began < s->flushed_at + FLUSH_MS)
		return 0;
	s->flushed_at = began;
	return write_queue_flush(&r->queue);
}

static void tell_progress(struct sonde_perf_recorder *r, struct rounds *s, uint64_t now)
{
	if (!r->opts.progress || now < s->told_at + IDLE_MS || s->ending)
		return;
	s->told_at = now;
	r->opts.progress(r->opts.ctx, write_queue_bytes(&r->queue));
}

static int wait_for_rings(struct sonde_perf_recorder *r, const struct rounds *s, uint64_t now)
{
	int timeout = s->enable_at && s->enable_at - now < IDLE_MS ? (int)(s->enable_at - now) : IDLE_MS;
	int n = ring_set_poll(&r->rings, timeout);

	if (n < 0)
		return err_sys(&r->err, -n, "cannot wait for the rings");
	r->stats.wakeups += n > 0;
	return 0;
}

/*
 * Each round empties every ring once. The loop sleeps only after a round that found nothing, because the kernel wakes a
 * poll once per crossing of the watermark.
 */
static int drain_until_end(struct sonde_perf_recorder *r, uint64_t enable_at)
{
	struct rounds s = { .enable_at = enable_at, .marked_at = now_ms(), .told_at = now_ms() };
	int e = 0;

	while (e == 0) {
		uint64_t now = now_ms();
		ssize_t n;

		tell_progress(r, &s, now);
		if (s.enable_at && now >= s.enable_at) {
			s.enable_at = 0;
			e = counters_enable(&r->counters, true, &r->err);
		}
		n = ring_set_drain(&r->rings, &r->queue, false);
		if (n < 0)
			return (int)n;
		s.unmarked |= n > 0;
		if (mark_round(r, &s, now) < 0)
			return -SONDE_SYSTEM;
		if (e == 0)
			e = flush_round(r, &s, now, n == 0);
		if (n == 0 && s.ending)
			break;
		if (!s.ending && (asked_to_end(r) || child_ended(&r->child))) {
			s.ending = true;
			if (e == 0)
				e = counters_enable(&r->counters, false, &r->err);
		} else if (n == 0 && e == 0) {
			e = wait_for_rings(r, &s, now);
		}
	}
	return e;
}

/* A LOST_SAMPLES record for the losses of a ring after its last LOST record. */
static int put_late_loss(struct sonde_perf_recorder *r, size_t ring, size_t event, size_t cell, uint64_t lost)
{
	const struct sonde_attr *a = &r->events.at[event].attr;
	struct perf_event_header h = { .type = PERF_RECORD_LOST_SAMPLES };
	uint64_t words[8], n = 1;
	int32_t cpu = r->rings.by_thread ? 0 : r->target.cpus.at[ring % r->rings.nr];

	words[n++] = lost;
	if (a->sample_type & PERF_SAMPLE_TID)
		words[n++] = 0;
	if (a->sample_type & PERF_SAMPLE_TIME)
		words[n++] = r->record_stats.time_last;
	if (a->sample_type & PERF_SAMPLE_CPU)
		memcpy(&words[n++], &(uint32_t[]){ (uint32_t)cpu, 0 }, 8);
	words[n++] = r->counters.ids[cell];
	h.size = (uint16_t)(n * sizeof(*words));
	memcpy(words, &h, sizeof(h));
	r->record_stats.lost += lost;
	return r->sink->ops->records(r->sink, words, h.size, &r->err);
}

/* Compares the kernel's counts with the LOST records for each ring, which several events share. */
static int account_losses(struct sonde_perf_recorder *r)
{
	int e = 0;

	for (size_t ring = 0; e == 0 && ring < 2 * r->rings.nr; ring++) {
		uint64_t sum = 0, most = 0;
		size_t of_event = 0, of_cell = 0;

		for (size_t ev = 0; ev < r->events.n; ev++)
			for (size_t t = 0; t < r->target.tids.n; t++)
				for (size_t n = 0; n < r->target.cpus.n; n++) {
					size_t cell = counters_cell(&r->counters, ev, t, n);
					uint64_t lost;

					if (ring_set_index(&r->rings, ev, t, n) != ring || r->counters.fds[cell] < 0)
						continue;
					lost = counters_lost(&r->counters, ev, cell);
					sum += lost;
					if (lost > most) {
						most = lost;
						of_event = ev;
						of_cell = cell;
					}
				}
		if (sum > r->record_stats.lost_by_ring[ring])
			e = put_late_loss(r, ring, of_event, of_cell, sum - r->record_stats.lost_by_ring[ring]);
		r->stats.lost_rings += sum || r->record_stats.lost_by_ring[ring];
	}
	return e;
}

/* Runs after failures too, so that the written part of the file is of use. */
static int finish(struct sonde_perf_recorder *r)
{
	struct sonde_meta meta = { 0 };
	int e = write_queue_finish(&r->queue, &r->err), late;

	if (e == 0)
		e = account_losses(r);
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

static int begin(struct sonde_perf_recorder *r, uint64_t *enable_at)
{
	bool by_exec = r->events.at[0].attr.flags & ATTR_ENABLE_ON_EXEC;
	int e = synthesize(r);

	if (e < 0)
		return e;
	set_realtime(r);
	if (r->opts.delay_ms > 0)
		*enable_at = now_ms() + (uint64_t)r->opts.delay_ms;
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
	uint64_t enable_at = 0;
	int e, late;

	if (!r->ready)
		return err_set(&r->err, SONDE_USAGE, SONDE_NONE, "the recorder is not open");
	r->ready = false;
	r->rings.pollfds[2 * r->rings.nr].fd = r->stop_fd;
	r->rings.pollfds[2 * r->rings.nr + 1].fd = r->child.pidfd;
	e = begin(r, &enable_at);
	if (e < 0 && r->child.pid > 0 && !r->child.started) {
		give_up(r);
		return e;
	}
	r->ran = true;
	if (e == 0)
		e = drain_until_end(r, enable_at);
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
