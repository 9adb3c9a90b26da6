/* SPDX-License-Identifier: MIT */
#include "export/crew.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/thread.h"

enum { BATCH_ITEMS = 1024, NR_BATCHES = 8, MAX_THREADS = 16 };

enum batch_state { BATCH_FREE, BATCH_FULL, BATCH_TAKEN, BATCH_DONE };

struct batch {
	_Alignas(CREW_APART) enum batch_state state;
	size_t n;
	char *items;
	size_t raw_at[BATCH_ITEMS];      /* where the bytes of each begin in `raw` */
	struct buf raw;                  /* copies: the reader's memory has moved on when they are formatted */
	struct buf text;
};

struct crew {
	struct crew_work work;
	struct buf *to;
	void *mine;                      /* of the thread that fills */
	pthread_mutex_t lock;            /* of state, taken and ending */
	pthread_cond_t full, done;
	bool ending;
	unsigned long filled, taken, written;  /* batches so far; each goes round the array */
	unsigned nr_threads;
	pthread_t threads[MAX_THREADS];
	struct batch batches[NR_BATCHES];
};

static void format(const struct crew *c, void *worker, struct batch *b)
{
	for (size_t i = 0; i < b->n && !b->raw.failed; i++)
		c->work.format(worker, b->items + i * c->work.item_bytes, (const uint8_t *)b->raw.p + b->raw_at[i], &b->text);
}

/* Formats the oldest batch that nobody has taken. Called and returns with the lock held; false if there is none. */
static bool format_one(struct crew *c, void *worker)
{
	struct batch *b;

	if (c->taken == c->filled)
		return false;
	b = &c->batches[c->taken++ % NR_BATCHES];
	b->state = BATCH_TAKEN;
	pthread_mutex_unlock(&c->lock);
	format(c, worker, b);
	pthread_mutex_lock(&c->lock);
	b->state = BATCH_DONE;
	pthread_cond_signal(&c->done);
	return true;
}

static void *work(void *arg)
{
	struct crew *c = arg;
	void *worker = c->work.worker_new(c->work.ctx);

	if (!worker)
		return NULL;  /* the thread that fills does the work of this one too */
	pthread_mutex_lock(&c->lock);
	while (!c->ending)
		if (!format_one(c, worker))
			pthread_cond_wait(&c->full, &c->lock);
	pthread_mutex_unlock(&c->lock);
	c->work.worker_free(worker);
	return NULL;
}

int crew_new(struct crew **out, const struct crew_work *what, unsigned threads, struct buf *to)
{
	struct crew *c = aligned_alloc(_Alignof(struct crew), sizeof(*c));
	bool failed;

	if (!c)
		return -SONDE_NOMEM;
	memset(c, 0, sizeof(*c));
	c->work = *what;
	c->to = to;
	c->mine = what->worker_new(what->ctx);
	failed = !c->mine;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->full, NULL);
	pthread_cond_init(&c->done, NULL);
	for (size_t i = 0; i < NR_BATCHES; i++) {
		c->batches[i].text = BUF_MEMORY;
		c->batches[i].raw = BUF_MEMORY;
		c->batches[i].items = aligned_alloc(CREW_APART, BATCH_ITEMS * what->item_bytes);
		failed = failed || !c->batches[i].items;
	}
	if (failed) {
		crew_free(c);
		return -SONDE_NOMEM;
	}
	while (c->nr_threads < threads && c->nr_threads < MAX_THREADS &&
	       thread_begin(&c->threads[c->nr_threads], work, c) == 0)
		c->nr_threads++;
	*out = c;
	return 0;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_broadcast(&c->full);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->nr_threads; i++)
		pthread_join(c->threads[i], NULL);
	for (size_t i = 0; i < NR_BATCHES; i++) {
		buf_free(&c->batches[i].text);
		buf_free(&c->batches[i].raw);
		free(c->batches[i].items);
	}
	if (c->mine)
		c->work.worker_free(c->mine);
	pthread_cond_destroy(&c->full);
	pthread_cond_destroy(&c->done);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned crew_threads(const struct crew *c)
{
	return c->nr_threads;
}

void crew_hand_over(struct buf *text, struct buf *to)
{
	struct buf swapped = *to;

	buf_take_failure(to, text);
	if (!buf_drains(to)) {
		buf_put(to, text->p, text->n);
	} else if (buf_flush(to) == 0) {
		to->p = text->p;
		to->n = text->n;
		to->cap = text->cap;
		text->p = swapped.p;
		text->cap = swapped.cap;
		buf_flush(to);
	}
	text->n = 0;
}

/* Writes the oldest batch, after it has been formatted: by this thread if no other has begun. Lock held, but not while writing. */
static void write_one(struct crew *c)
{
	struct batch *b = &c->batches[c->written % NR_BATCHES];

	while (b->state != BATCH_DONE)
		if (!format_one(c, c->mine))
			pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	crew_hand_over(&b->text, c->to);
	buf_take_failure(c->to, &b->raw);
	b->raw.n = 0;
	b->n = 0;
	pthread_mutex_lock(&c->lock);
	b->state = BATCH_FREE;
	c->written++;
}

static void submit(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->batches[c->filled % NR_BATCHES].state = BATCH_FULL;
	c->filled++;
	pthread_cond_signal(&c->full);
	while (c->written < c->filled &&
	       (c->batches[c->written % NR_BATCHES].state == BATCH_DONE || c->filled - c->written == NR_BATCHES))
		write_one(c);
	pthread_mutex_unlock(&c->lock);
}

void *crew_next(struct crew *c, const uint8_t *raw, size_t n)
{
	struct batch *b = &c->batches[c->filled % NR_BATCHES];

	if (b->n == BATCH_ITEMS) {
		submit(c);
		b = &c->batches[c->filled % NR_BATCHES];
	}
	b->raw_at[b->n] = b->raw.n;
	buf_put(&b->raw, raw, n);
	return b->items + b->n++ * c->work.item_bytes;
}

void crew_drain(struct crew *c)
{
	if (c->batches[c->filled % NR_BATCHES].n)
		submit(c);
	pthread_mutex_lock(&c->lock);
	while (c->written < c->filled)
		write_one(c);
	pthread_mutex_unlock(&c->lock);
}
