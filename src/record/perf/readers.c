/* SPDX-License-Identifier: MIT */
#include "record/perf/readers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

#define IDLE_MS     500              /* the longest wait of a record, in a ring or in the queue */
#define SHRUNK_MS   5                /* the wait for rings that do not wake the reader in time */
#define SMALL_ROUND 16384            /* bytes */

static void wake(int fd)
{
	while (write(fd, &(uint64_t){ 1 }, sizeof(uint64_t)) < 0 && errno == EINTR)
		;
}

static ssize_t drain(struct ring_reader *r)
{
	ssize_t sum = 0;

	for (size_t i = 0; i < r->nr_rings; i++) {
		ssize_t n = ring_drain(&r->set->rings[r->rings[i]], &r->queue);

		if (n < 0)
			return n;
		sum += n;
	}
	atomic_fetch_add(&r->bytes, (uint64_t)sum);
	return sum;
}

static int wait_for_rings(struct ring_reader *r)
{
	int n = poll(r->pollfds, r->nr_rings + 1, r->set->shrunk ? SHRUNK_MS : IDLE_MS);
	bool any = false;

	if (n < 0)
		return errno == EINTR ? 0 : err_sys(&r->err, errno, "cannot wait for the rings");
	r->wakeups += n > 0;
	for (size_t i = 0; i < r->nr_rings; i++) {
		struct pollfd *p = &r->pollfds[i];

		if (p->fd >= 0 && p->revents & (POLLHUP | POLLERR))
			p->fd = ring_set_next_owner(r->set, r->rings[i], &r->owners[i]);
		any |= p->fd >= 0;
	}
	if (!any && !atomic_exchange(&r->tasks_ended, true))
		wake(r->told_fd);
	return 0;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* As the rounds of the recorder: a round that found much is followed by another at once. */
static int empty_rings(struct ring_reader *r)
{
	uint64_t flushed_at = now_ms();
	int e = 0;

	while (e == 0) {
		bool ending = atomic_load(&r->ending);
		ssize_t n = drain(r);
		uint64_t now = now_ms();

		if (n < 0)
			return (int)n;
		if (n == 0 || now >= flushed_at + IDLE_MS) {
			flushed_at = now;
			e = write_queue_flush(&r->queue);
		}
		if (ending)
			break;
		if (e == 0 && n < SMALL_ROUND)
			e = wait_for_rings(r);
	}
	return e;
}

static void *run_reader(void *arg)
{
	struct ring_reader *r = arg;

	r->tid = (pid_t)syscall(SYS_gettid);
	sem_post(&r->begun);
	if (empty_rings(r) < 0) {
		atomic_store(&r->failed, true);
		wake(r->told_fd);
	}
	return NULL;
}

/* The rings of @place, out of the set: the thread that runs the recorder neither waits for them nor empties them. */
static int take_rings(struct ring_reader *r, const struct reader_place *place)
{
	struct ring_set *set = r->set;
	size_t most = (size_t)CPU_COUNT(&place->rings);

	r->rings = calloc(most, sizeof(*r->rings));
	r->owners = calloc(most, sizeof(*r->owners));
	r->pollfds = calloc(most + 1, sizeof(*r->pollfds));
	if (!r->rings || !r->owners || !r->pollfds)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < set->nr; i++) {
		int32_t cpu = set->counters->target->cpus.at[i];

		if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, &place->rings) || !set->rings[i].map)
			continue;
		r->rings[r->nr_rings] = i;
		r->owners[r->nr_rings] = set->owner[i];
		r->pollfds[r->nr_rings++] = set->pollfds[i];
		ring_set_give_away(set, i);
	}
	r->pollfds[r->nr_rings] = (struct pollfd){ .fd = r->wake_fd, .events = POLLIN };
	return 0;
}

int readers_prepare(struct readers *rs, const struct reader_plan *plan, struct ring_set *set, int told_fd,
		    struct sonde_error *err)
{
	rs->at = calloc(plan->n, sizeof(*rs->at));
	if (!rs->at)
		return err_nomem(err);
	for (size_t i = 0; i < plan->n; i++) {
		struct ring_reader *r = &rs->at[rs->nr++];

		r->set = set;
		r->told_fd = told_fd;
		r->runs_on = plan->at[i].runs_on;
		sem_init(&r->begun, 0, 0);
		err_clear(&r->err);
		r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (r->wake_fd < 0)
			return err_sys(err, errno, "cannot make an eventfd");
		if (take_rings(r, &plan->at[i]) < 0)
			return err_nomem(err);
	}
	return 0;
}

int reader_start(struct ring_reader *r, uint64_t queue_bytes, struct sonde_error *err)
{
	int e = write_queue_start(&r->queue, r->sink, &r->record_stats, r->set->bytes, err);

	if (e < 0)
		return e;
	write_queue_limit(&r->queue, queue_bytes);
	e = thread_begin(&r->thread, run_reader, r);
	if (e)
		return err_sys(err, e, "cannot start a thread");
	r->started = true;
	while (sem_wait(&r->begun) < 0)
		;                    /* a signal */
	/* CPUs that are not permitted: the threads stay where they are. */
	pthread_setaffinity_np(r->thread, sizeof(r->runs_on), &r->runs_on);
	pthread_setaffinity_np(r->queue.thread, sizeof(r->runs_on), &r->runs_on);
	return 0;
}

uint64_t readers_bytes(const struct readers *rs)
{
	uint64_t n = 0;

	for (size_t i = 0; i < rs->nr; i++)
		n += atomic_load(&rs->at[i].bytes);
	return n;
}

bool readers_failed(const struct readers *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (atomic_load(&rs->at[i].failed))
			return true;
	return false;
}

bool readers_tasks_ended(const struct readers *rs)
{
	for (size_t i = 0; i < rs->nr; i++)
		if (!atomic_load(&rs->at[i].tasks_ended))
			return false;
	return true;
}

int readers_finish(struct readers *rs, struct sonde_error *err)
{
	int e = 0;

	for (size_t i = 0; i < rs->nr; i++) {
		atomic_store(&rs->at[i].ending, true);
		wake(rs->at[i].wake_fd);
	}
	for (size_t i = 0; i < rs->nr; i++) {
		struct ring_reader *r = &rs->at[i];
		int late;

		if (r->started)
			pthread_join(r->thread, NULL);
		r->started = false;
		late = write_queue_finish(&r->queue, &r->err);
		late = late < 0 ? late : -(int)r->err.code;
		if (late < 0 && e == 0) {
			e = late;
			if (err && !err->code)
				*err = r->err;
		}
	}
	return e;
}

void readers_free(struct readers *rs)
{
	readers_finish(rs, NULL);
	for (size_t i = 0; i < rs->nr; i++) {
		struct ring_reader *r = &rs->at[i];

		write_queue_free(&r->queue);
		record_stats_free(&r->record_stats);
		if (r->sink)
			r->sink->ops->free(r->sink);
		if (r->wake_fd >= 0)
			close(r->wake_fd);
		sem_destroy(&r->begun);
		free(r->rings);
		free(r->owners);
		free(r->pollfds);
	}
	free(rs->at);
	*rs = (struct readers){ 0 };
}
