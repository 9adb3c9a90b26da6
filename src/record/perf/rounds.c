/* SPDX-License-Identifier: MIT */
#include "record/perf/rounds.h"

#include <linux/perf_event.h>
#include <time.h>

#define IDLE_MS        500           /* the longest wait of a record */
#define MARK_MS        200
#define FLUSH_MS       100
#define FINISHED_ROUND 68

uint64_t rounds_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int rounds_put_mark(struct sonde_perf_recorder *r)
{
	const struct perf_event_header h = { .type = FINISHED_ROUND, .size = sizeof(h) };

	return write_queue_put(&r->queue, &h, sizeof(h));
}

/* Shall the recording end? The end of the command is another matter. */
static bool asked_to_end(struct sonde_perf_recorder *r)
{
	if (r->opts.max_bytes && write_queue_bytes(&r->queue) >= r->opts.max_bytes)
		r->stats.full = true;
	return r->stats.full || atomic_load(&r->stopping) || (!r->command_name && ring_set_ended(&r->rings));
}

/* The state of the loop over the rings from round to round; times are those of rounds_now_ms(). */
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
	e = rounds_put_mark(r);
	s->marked_at = rounds_now_ms();
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
int rounds_until_end(struct sonde_perf_recorder *r, uint64_t enable_at)
{
	struct rounds s = { .enable_at = enable_at, .marked_at = rounds_now_ms(), .told_at = rounds_now_ms() };
	int e = 0;

	while (e == 0) {
		uint64_t now = rounds_now_ms();
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
