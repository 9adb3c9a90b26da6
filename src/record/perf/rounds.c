/* SPDX-License-Identifier: MIT */
/*
 * rounds.c - the loop of a recording
 *
 *	+-> schedule, control file ---> drain each ring once ---> mark, flush ---> snapshots, next file --+
 *	|                                                                                                 |
 *	+------- wait for a ring, the command's end, a control command (if the round was small) <---------+
 *
 * In: rings that the kernel fills, and what else may happen: file descriptors of the poll set, flags that functions of
 * the program set. Out: records in the write queue, and FINISHED_ROUND, by which readers know that nothing older comes.
 *
 * The end has two steps: counters stop, then rounds go on until one finds nothing. Never: a mark follows a round that
 * began less than MARK_MS after the mark before; a request waits until the rings are empty, because each round looks
 * for requests; the loop sleeps after a round that found much.
 */
#include "record/perf/rounds.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "record/perf/outfile.h"
#include "record/perf/schedule.h"

#define IDLE_MS        500           /* the longest wait of a record, in a ring or in the queue */
#define LIVE_MS        100           /* the same, where a program waits for the events */
#define SHRUNK_MS      5             /* the wait for rings that do not wake the recorder in time */
#define MARK_MS        200
#define CONTROL_MS     50
#define SMALL_ROUND    16384         /* bytes */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Shall the recording end? The end of the command is another matter. */
static bool asked_to_end(struct sonde_perf_recorder *r)
{
	if (r->opts.file.max_bytes && outfile_bytes(r) >= r->opts.file.max_bytes)
		r->stats.full = true;
	return r->stats.full || atomic_load(&r->stopping) ||
	       (!r->command_name && ring_set_ended(&r->rings) && readers_tasks_ended(&r->readers));
}

/* The state of the loop over the rings from round to round; times are those of now_ms(). */
struct rounds {
	struct schedule schedule;    /* of the events */
	uint64_t switched_at, controlled_at;
	uint64_t marked_at, flushed_at, told_at;
	unsigned int marks_due;      /* something came since the last mark */
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

	/*
	 * The records of backward rings come late: their dump is a round. Of several files none is ahead of the others:
	 * they have no rounds.
	 */
	if (!s->marks_due || began < s->marked_at + MARK_MS || r->rings.backward || r->readers.nr)
		return 0;
	e = outfile_mark(r);
	s->marked_at = now_ms();
	s->marks_due--;
	return e;
}

static uint64_t longest_wait(const struct sonde_perf_recorder *r)
{
	return r->live ? LIVE_MS : IDLE_MS;
}

/* Wakes the writing thread seldom: wake-ups are scheduler events, which may be recorded. */
static int flush_round(struct sonde_perf_recorder *r, struct rounds *s, uint64_t began, bool idle)
{
	if (!idle && !s->ending && began < s->flushed_at + longest_wait(r))
		return 0;
	s->flushed_at = began;
	return write_queue_flush(&r->queue);
}

static void tell_progress(struct sonde_perf_recorder *r, struct rounds *s, uint64_t now)
{
	if (!r->opts.calls.progress || now < s->told_at + IDLE_MS || s->ending)
		return;
	s->told_at = now;
	r->opts.calls.progress(r->opts.calls.ctx, write_queue_bytes(&r->queue) + readers_bytes(&r->readers));
}

/* The extra places of the poll set. */
enum { STOP_FD, CHILD_FD, CONTROL_FD, TRIGGER_FD, BPF_FD };

static struct pollfd *extra_fd(struct sonde_perf_recorder *r, int which)
{
	return &r->rings.pollfds[2 * r->rings.nr + (size_t)which];
}

static int wait_for_rings(struct sonde_perf_recorder *r, const struct rounds *s, uint64_t now)
{
	uint64_t most = schedule_wait(&s->schedule, now, longest_wait(r)), wake_ups;
	int n;

	if (r->rings.shrunk && most > SHRUNK_MS)
		most = SHRUNK_MS;
	if (r->opts.file.max_bytes && r->readers.nr && most > CONTROL_MS)
		most = CONTROL_MS;   /* the rings of the readers do not wake this thread */
	if (r->opts.switching.switch_ms && s->switched_at + r->opts.switching.switch_ms - now < most)
		most = s->switched_at + r->opts.switching.switch_ms - now;
	n = ring_set_poll(&r->rings, (int)most);
	if (n < 0)
		return err_sys(&r->err, -n, "cannot wait for the rings");
	r->stats.wakeups += n > 0;
	if (extra_fd(r, STOP_FD)->revents && read(r->stop_fd, &wake_ups, sizeof(wake_ups)) < 0 && errno != EAGAIN)
		return err_sys(&r->err, errno, "cannot read an eventfd");
	return 0;
}

/* Busy rings keep the loop from its wait: the control file is looked at now and then all the same. */
static int serve_control(struct sonde_perf_recorder *r, struct rounds *s, uint64_t now)
{
	struct pollfd *p = extra_fd(r, CONTROL_FD);
	int e;

	if (p->fd < 0 || (!p->revents && now < s->controlled_at + CONTROL_MS))
		return 0;
	s->controlled_at = now;
	if (!p->revents && poll(p, 1, 0) <= 0)
		return 0;
	e = control_serve(&r->control, r);
	p->revents = 0;
	if (e > 0)
		p->fd = -1;
	return e < 0 ? e : 0;
}

/* A program that is unloaded before the end is read while it is there. */
static int read_bpf_programs(struct sonde_perf_recorder *r)
{
	if (!arrivals_any(&r->bpf_loads.arrivals))
		return 0;
	return bpf_programs_gather_new(&r->bpf) < 0 ? err_nomem(&r->err) : 0;
}

static int obey_schedule(struct sonde_perf_recorder *r, struct rounds *s, uint64_t now)
{
	int due, e = 0;

	while (e == 0 && (due = schedule_due(&s->schedule, now)) != 0)
		e = counters_turn(&r->counters, events_named(NULL), due > 0, &r->err);
	return e;
}

static int dump_backward_rings(struct sonde_perf_recorder *r)
{
	ssize_t n = r->rings.backward || r->aux.snapshot ? ring_set_dump(&r->rings, &r->queue) : 0;

	return n > 0 ? outfile_mark(r) : n == -SONDE_SYSTEM ? -SONDE_SYSTEM :
	       n < 0 ? err_sys(&r->err, (int)-n, "cannot pause a ring") : 0;
}

/* A snapshot of backward rings, the switch to another file, or both. The rings have just been emptied. */
static int serve_requests(struct sonde_perf_recorder *r, struct rounds *s, uint64_t now)
{
	const struct sonde_perf_recorder_opts *o = &r->opts;
	bool fired = arrivals_any(&r->trigger.arrivals), due;
	bool asked = atomic_exchange(&r->snapshot_wanted, false) || fired;
	int e = asked ? dump_backward_rings(r) : 0;

	due = (o->switching.switch_bytes && outfile_bytes(r) >= o->switching.switch_bytes) ||
	      (o->switching.switch_ms && now >= s->switched_at + o->switching.switch_ms);
	if (e < 0 || !o->switching.switch_output || !(asked || due))
		return e;
	s->switched_at = now;
	s->marks_due = 0;
	return outfile_switch(r);
}

/*
 * Each round empties every ring once. A round that found much is followed by another at once. After a small one the
 * loop sleeps until a ring has filled to its watermark: else it would run all the time, at real-time priority, where
 * records come one by one. A watermark that was crossed during the round ends the sleep at once.
 */
int rounds_until_end(struct sonde_perf_recorder *r)
{
	uint64_t now = now_ms();
	struct rounds s = { .marked_at = now, .told_at = now, .switched_at = now };
	int e = 0;

	extra_fd(r, STOP_FD)->fd = r->stop_fd;
	extra_fd(r, CHILD_FD)->fd = r->child.pidfd;
	extra_fd(r, CONTROL_FD)->fd = r->control.fd;
	extra_fd(r, TRIGGER_FD)->fd = r->trigger.arrivals.epoll_fd;
	extra_fd(r, BPF_FD)->fd = r->bpf_loads.arrivals.epoll_fd;
	ring_set_keep_traces(&r->rings, !r->opts.when.nr_windows && !r->opts.when.start_disabled &&
			     !r->opts.when.control);
	schedule_begin(&s.schedule, r->windows, r->opts.when.nr_windows, now);
	for (; e == 0; now = now_ms()) {
		ssize_t n;

		tell_progress(r, &s, now);
		if ((e = read_bpf_programs(r)) < 0 || (e = obey_schedule(r, &s, now)) < 0 ||
		    (e = serve_control(r, &s, now)) < 0)
			break;
		n = ring_set_drain(&r->rings, &r->queue, false);
		if (n < 0)
			return (int)n;
		if (n > 0)           /* a reader has a record when two marks have followed it */
			s.marks_due = r->live ? 2 : 1;
		if ((e = mark_round(r, &s, now)) < 0 || (e = flush_round(r, &s, now, n == 0)) < 0)
			break;
		if (n == 0 && s.ending)
			break;
		if (readers_failed(&r->readers))
			break;       /* outfile_finish() tells why */
		if (!s.ending && (e = serve_requests(r, &s, now)) < 0)
			break;
		if (!s.ending && (asked_to_end(r) || child_ended(&r->child))) {
			s.ending = true;
			ring_set_keep_traces(&r->rings, false);
			e = counters_enable(&r->counters, false, &r->err);
		} else if (!s.ending && n < SMALL_ROUND) {
			e = wait_for_rings(r, &s, now);
		}
	}
	return e == 0 && (r->aux.snapshot ? r->aux.at_end : !r->opts.rings.snapshot) ? dump_backward_rings(r) : e;
}
