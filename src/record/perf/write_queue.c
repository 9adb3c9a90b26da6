/* SPDX-License-Identifier: MIT */
/*
 * write_queue.c - buffers between the thread that empties the rings and the thread that writes
 *
 *	ring_set ---> filling ---> full, full, ... ---> write_buffers() ---> map ids, off-CPU samples ---> sink
 *	                 ^                                  |
 *	                 +------------- idle <--------------+
 *
 * In: whole records, copied to the buffer at hand without a lock; a hardware trace has a buffer of its own. A buffer is
 * handed over when it is full, when it is large enough and the writing thread has nothing to do, or by
 * write_queue_flush(). Out: records of the sink, in the order in which they came. New buffers are made until all have a
 * share of the memory; then the filling thread waits, and the kernel counts what the rings lose.
 *
 * Never: a record lies in two buffers; a buffer is touched by both threads; more is written after the first failure:
 * later buffers are emptied without a write, and write_queue_finish() tells the error.
 */
#include "record/perf/write_queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"

#define BUFFER_BYTES (4u << 20)
#define HAND_OVER_BYTES (1u << 20)  /* while the cache of a processor still has them */
#define MEMORY_SHARE 16          /* of all buffers: this part of the memory, but at least two of them */
#define MEMORY_MAX (UINT64_C(1) << 30)

/* Gives whole records to the sink. @p is changed. */
static int deliver(struct write_queue *s, uint8_t *p, size_t n)
{
	int r = map_ids_stamp(&s->map_ids, p, n);

	if (r == 0)
		r = s->sink->ops->records(s->sink, p, n, &s->err);
	return r < 0 ? r : record_stats_count(s->record_stats, p, n);
}

static int deliver_replaced(struct write_queue *s)
{
	return s->replaced.n ? deliver(s, (uint8_t *)s->replaced.p, s->replaced.n) : 0;
}

static int write_buffer(struct write_queue *s, struct write_buffer *c)
{
	int r;

	if (c->aux)
		return s->sink->ops->records(s->sink, c->p, c->n, &s->err);
	if (!s->off_cpu)
		return deliver(s, c->p, c->n);
	s->replaced.n = 0;
	r = off_cpu_take(s->off_cpu, c->p, c->n, &s->replaced);
	return r < 0 ? r : deliver_replaced(s);
}

static void *write_buffers(void *arg)
{
	struct write_queue *s = arg;
	struct write_buffer *c;

	pthread_mutex_lock(&s->lock);
	s->tid = (pid_t)syscall(SYS_gettid);
	s->started = true;
	pthread_cond_broadcast(&s->changed);
	for (;;) {
		int r = 0;

		while (!s->full && !s->ending)
			pthread_cond_wait(&s->changed, &s->lock);
		c = s->full;
		if (!c)
			break;
		s->full = c->next;
		s->writing = true;
		pthread_mutex_unlock(&s->lock);
		if (!s->failed)
			r = write_buffer(s, c);
		pthread_mutex_lock(&s->lock);
		if (s->off_cpu && !c->aux)
			s->bytes = s->bytes - c->n + s->replaced.n;
		if (r < 0 && !s->failed)
			s->failed = r == -SONDE_NOMEM ? err_nomem(&s->err) : r;
		c->n = 0;
		c->aux = false;
		c->next = s->idle;
		s->idle = c;
		s->writing = false;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Pages are touched as they are used: a buffer that stays small costs little. */
static struct write_buffer *new_buffer(struct write_queue *s)
{
	struct write_buffer *c = malloc(sizeof(*c));
	void *p;

	if (!c)
		return NULL;
	p = mmap(NULL, s->buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		free(c);
		return NULL;
	}
	*c = (struct write_buffer){ .p = p };
	s->nr_buffers++;
	return c;
}

int write_queue_start(struct write_queue *s, struct sink *sink, struct record_stats *record_stats, size_t largest,
		      struct sonde_error *err)
{
	uint64_t share = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE;
	int r;

	*s = (struct write_queue){ .sink = sink, .record_stats = record_stats,
				     .buffer_bytes = largest > BUFFER_BYTES ? largest : BUFFER_BYTES,
				     .memory_max = share < MEMORY_MAX ? share : MEMORY_MAX,
				     .replaced = BUF_MEMORY };
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->filling = new_buffer(s);
	if (!s->filling)
		return err_nomem(err);
	r = thread_begin(&s->thread, write_buffers, s);
	if (r)
		return err_sys(err, r, "cannot start a thread");
	pthread_mutex_lock(&s->lock);
	while (!s->started)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static void enqueue(struct write_queue *s)
{
	struct write_buffer **last = &s->full;

	s->filling->next = NULL;
	s->bytes += s->filling->n;
	while (*last)
		last = &(*last)->next;
	*last = s->filling;
	s->filling = NULL;
	pthread_cond_broadcast(&s->changed);
}

/* With the lock held: an empty buffer to fill. */
static bool take_buffer(struct write_queue *s)
{
	bool may_grow = s->nr_buffers < 2 || s->nr_buffers * s->buffer_bytes < s->memory_max;

	if (!s->idle && may_grow)
		s->filling = new_buffer(s);
	while (!s->filling && !s->idle && (s->full || s->writing))
		pthread_cond_wait(&s->changed, &s->lock);
	if (!s->filling && s->idle) {
		s->filling = s->idle;
		s->idle = s->idle->next;
	}
	return s->filling && !s->failed;
}

/* A buffer that is large enough waits no longer for more records, if the writing thread has nothing else to do. */
static bool is_due(struct write_queue *s)
{
	bool idle;

	if (s->filling->n < HAND_OVER_BYTES)
		return false;
	pthread_mutex_lock(&s->lock);
	idle = !s->full && !s->writing;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

uint8_t *write_queue_room(struct write_queue *s, size_t n)
{
	bool ok = true;

	if (s->filling && s->buffer_bytes - s->filling->n >= n && !is_due(s))
		return s->filling->p + s->filling->n;
	pthread_mutex_lock(&s->lock);
	if (s->filling)
		enqueue(s);
	ok = take_buffer(s);
	pthread_mutex_unlock(&s->lock);
	return ok && n <= s->buffer_bytes ? s->filling->p : NULL;
}

int write_queue_put(struct write_queue *s, const void *p, size_t n)
{
	uint8_t *to = write_queue_room(s, n);

	if (!to)
		return -SONDE_SYSTEM;
	memcpy(to, p, n);
	write_queue_advance(s, n);
	return 0;
}

size_t write_queue_aux_max(const struct write_queue *s)
{
	return s->buffer_bytes;
}

/* Hands over the buffer at hand; the next one is empty. */
static int begin_buffer(struct write_queue *s)
{
	bool ok = true;

	if (s->filling && s->filling->n == 0)
		return 0;
	pthread_mutex_lock(&s->lock);
	if (s->filling)
		enqueue(s);
	ok = take_buffer(s);
	pthread_mutex_unlock(&s->lock);
	return ok ? 0 : -SONDE_SYSTEM;
}

uint8_t *write_queue_aux_room(struct write_queue *s, size_t n)
{
	return n > s->buffer_bytes || begin_buffer(s) < 0 ? NULL : s->filling->p;
}

int write_queue_aux_done(struct write_queue *s, size_t n)
{
	s->filling->n = n;
	s->filling->aux = true;
	return begin_buffer(s);
}

int write_queue_flush(struct write_queue *s)
{
	int r = 0;

	if (s->filling && s->filling->n == 0)
		return 0;
	pthread_mutex_lock(&s->lock);
	if (!s->filling || (!s->full && !s->writing) || s->filling->n > s->buffer_bytes / 2) {
		if (s->filling)
			enqueue(s);
		if (!take_buffer(s))
			r = -SONDE_SYSTEM;
	}
	if (s->failed)
		r = s->failed;
	pthread_mutex_unlock(&s->lock);
	return r;
}

int write_queue_wait(struct write_queue *s)
{
	int r;

	pthread_mutex_lock(&s->lock);
	if (s->filling && s->filling->n > 0)
		enqueue(s);
	while (s->full || s->writing)
		pthread_cond_wait(&s->changed, &s->lock);
	r = !s->filling && !take_buffer(s) ? -SONDE_SYSTEM : s->failed;
	pthread_mutex_unlock(&s->lock);
	return r;
}

int write_queue_end_file(struct write_queue *s, struct sonde_error *err)
{
	int r;

	if (!s->off_cpu || s->failed)
		return s->failed;
	s->replaced.n = 0;
	r = off_cpu_end(s->off_cpu, &s->replaced);
	if (r == 0)
		r = deliver_replaced(s);
	s->bytes += s->replaced.n;
	if (r < 0 && err && !err->code)
		*err = s->err;
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}

void write_queue_redirect(struct write_queue *s, struct sink *sink)
{
	pthread_mutex_lock(&s->lock);
	s->sink = sink;
	pthread_mutex_unlock(&s->lock);
}

uint64_t write_queue_bytes(struct write_queue *s)
{
	uint64_t n;

	pthread_mutex_lock(&s->lock);
	n = s->bytes + (s->filling ? s->filling->n : 0);
	pthread_mutex_unlock(&s->lock);
	return n;
}

int write_queue_finish(struct write_queue *s, struct sonde_error *err)
{
	if (!s->started)
		return 0;
	pthread_mutex_lock(&s->lock);
	if (s->filling && s->filling->n > 0)
		enqueue(s);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->started = false;
	if (s->failed && err && !err->code)
		*err = s->err;
	return s->failed;
}

static void free_buffers(struct write_queue *s, struct write_buffer *c)
{
	while (c) {
		struct write_buffer *next = c->next;

		munmap(c->p, s->buffer_bytes);
		free(c);
		c = next;
	}
}

void write_queue_free(struct write_queue *s)
{
	if (!s->sink)
		return;
	write_queue_finish(s, NULL);
	if (s->filling)
		s->filling->next = NULL;
	free_buffers(s, s->filling);
	free_buffers(s, s->full);
	free_buffers(s, s->idle);
	map_ids_free(&s->map_ids);
	buf_free(&s->replaced);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	s->sink = NULL;
}
