/* SPDX-License-Identifier: MIT */
#include "base/ordered_pool.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/thread.h"

/* Each of two threads can be two batches ahead of the other. */
enum { MAX_HELPERS = 16, MAX_BATCHES = 2 * MAX_HELPERS + 4 };

#define BATCH_BYTES (256 * 1024)  /* of items and the bytes that come with them */
#define TEXT_BYTES (64 * 1024)    /* of items that are formatted as they come */

struct batch {
	_Alignas(ORDERED_POOL_APART) bool formatted;  /* and not yet written */
	bool in_use;                 /* from its reading to its writing */
	struct buf items;
	struct buf ends;             /* size_t: where the bytes of each item end in raw */
	struct buf raw;
	struct buf text;
};

struct ordered_pool {
	struct ordered_pool_work work;
	struct buf *to;
	void *alone;                 /* what the only thread formats with; NULL: there are several */
	pthread_mutex_t reading;     /* held by the thread that reads: for filling, filled, settle, ended, result */
	struct batch *filling;
	unsigned long filled, nr_batches;
	bool settle, ended;
	int result;
	pthread_mutex_t lock;        /* for formatted and in_use, written, writing and failed */
	pthread_cond_t freed;
	unsigned long written;
	bool writing;
	int failed;
	struct batch batches[MAX_BATCHES];
};

int ordered_pool_new(struct ordered_pool **out, const struct ordered_pool_work *work, struct buf *to)
{
	struct ordered_pool *p = aligned_alloc(_Alignof(struct ordered_pool), sizeof(*p));

	if (!p)
		return -SONDE_NOMEM;
	memset(p, 0, sizeof(*p));
	p->work = *work;
	p->to = to;
	pthread_mutex_init(&p->reading, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->freed, NULL);
	for (size_t i = 0; i < MAX_BATCHES; i++)
		p->batches[i].items = p->batches[i].ends = p->batches[i].raw = p->batches[i].text = BUF_MEMORY;
	*out = p;
	return 0;
}

void ordered_pool_free(struct ordered_pool *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < MAX_BATCHES; i++) {
		buf_free(&p->batches[i].text);
		buf_free(&p->batches[i].raw);
		buf_free(&p->batches[i].ends);
		buf_free(&p->batches[i].items);
	}
	pthread_cond_destroy(&p->freed);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->reading);
	free(p);
}

bool ordered_pool_is_full(const struct ordered_pool *p)
{
	const struct batch *b = p->filling;

	return b->items.n + b->raw.n >= BATCH_BYTES || b->text.n >= TEXT_BYTES;
}

void *ordered_pool_item(struct ordered_pool *p)
{
	return buf_room(&p->filling->items, p->work.item_bytes);
}

int ordered_pool_put(struct ordered_pool *p, const uint8_t *raw, size_t n)
{
	struct batch *b = p->filling;
	size_t end = b->raw.n + n;

	if (p->alone) {
		p->work.format(p->alone, b->items.p, raw, &b->text);
		return b->text.failed;
	}
	buf_put(&b->raw, raw, n);
	if (!b->raw.failed)
		buf_put(&b->ends, &end, sizeof(end));
	b->items.n += p->work.item_bytes;
	return b->raw.failed || b->ends.failed ? -SONDE_NOMEM : 0;
}

static void format(const struct ordered_pool *p, void *worker, struct batch *b)
{
	size_t nr = b->ends.n / sizeof(size_t), at = 0;

	for (size_t i = 0; i < nr; i++) {
		p->work.format(worker, b->items.p + i * p->work.item_bytes, (const uint8_t *)b->raw.p + at, &b->text);
		memcpy(&at, b->ends.p + i * sizeof(at), sizeof(at));
	}
}

/* Writes all batches that are formatted and whose turn it is, unless another thread is at it. */
static void finish(struct ordered_pool *p, struct batch *b)
{
	pthread_mutex_lock(&p->lock);
	b->formatted = true;
	while (!p->writing && (b = &p->batches[p->written % p->nr_batches])->formatted) {
		p->writing = true;
		pthread_mutex_unlock(&p->lock);
		buf_move(p->to, &b->text);
		b->items.n = b->ends.n = b->raw.n = 0;
		pthread_mutex_lock(&p->lock);
		p->failed = p->to->failed;
		p->writing = b->formatted = b->in_use = false;
		p->written++;
		pthread_cond_broadcast(&p->freed);
	}
	pthread_mutex_unlock(&p->lock);
}

/* A batch for the thread that may read; NULL when writing has failed. */
static struct batch *take_batch(struct ordered_pool *p)
{
	struct batch *b = &p->batches[p->filled % p->nr_batches];

	pthread_mutex_lock(&p->lock);
	while ((b->in_use || (p->settle && p->written < p->filled)) && !p->failed)
		pthread_cond_wait(&p->freed, &p->lock);
	if (p->failed)
		b = NULL;
	else
		b->in_use = true;
	pthread_mutex_unlock(&p->lock);
	return b;
}

/* Reads a batch; NULL at the end. */
static struct batch *read_batch(struct ordered_pool *p)
{
	struct batch *b = p->ended ? NULL : take_batch(p);

	if (!b) {
		p->ended = true;
		return NULL;
	}
	p->filling = b;
	p->filled++;
	p->result = p->work.read(p->work.ctx);
	p->settle = p->result == ORDERED_POOL_SETTLE;
	p->ended = p->result <= ORDERED_POOL_END;
	return b;
}

static void run(struct ordered_pool *p, void *worker)
{
	struct batch *b;

	do {
		pthread_mutex_lock(&p->reading);
		b = read_batch(p);
		pthread_mutex_unlock(&p->reading);
		if (b) {
			format(p, worker, b);
			finish(p, b);
		}
	} while (b);
}

static void *worker_new(struct ordered_pool *p)
{
	return p->work.worker_new ? p->work.worker_new(p->work.ctx) : p->work.ctx;
}

static void worker_free(struct ordered_pool *p, void *worker)
{
	if (p->work.worker_new)
		p->work.worker_free(worker);
}

static void *help(void *arg)
{
	struct ordered_pool *p = arg;
	void *worker = worker_new(p);

	if (!worker)
		return NULL;  /* the others do its work */
	run(p, worker);
	worker_free(p, worker);
	return NULL;
}

int ordered_pool_run(struct ordered_pool *p, unsigned helpers)
{
	void *worker = worker_new(p);
	pthread_t threads[MAX_HELPERS];
	unsigned nr = 0;

	if (!worker)
		return -SONDE_NOMEM;
	if (helpers > MAX_HELPERS)
		helpers = MAX_HELPERS;
	p->nr_batches = 2 * helpers + 4;
	pthread_mutex_lock(&p->reading);
	while (nr < helpers && thread_begin(&threads[nr], help, p) == 0)
		nr++;
	p->alone = nr ? NULL : worker;
	pthread_mutex_unlock(&p->reading);
	run(p, worker);
	for (unsigned i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	worker_free(p, worker);
	return p->result < 0 ? p->result : p->to->failed;
}
