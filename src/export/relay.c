/* SPDX-License-Identifier: MIT */
#include "export/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/thread.h"
#include "export/crew.h"

/* Of two threads one can be two batches ahead of the other. */
enum { BATCH_ITEMS = 4096, MAX_THREADS = 16, NR_BATCHES = 2 * MAX_THREADS + 4 };

struct batch {
	_Alignas(RELAY_APART) bool ready;  /* formatted, not yet written */
	bool in_use;                 /* from its reading to its writing */
	struct buf items;
	struct buf ends;             /* of the bytes of each in raw: size_t */
	struct buf raw;
	struct buf text;
};

struct relay {
	struct relay_work work;
	struct buf *to;
	struct batch *filling;       /* of the thread that reads */
	pthread_mutex_t reading;     /* the baton: filled, ended and result go with it */
	unsigned long filled, nr_batches;
	bool ended;
	int result;
	pthread_mutex_t lock;        /* of ready and in_use, written, writing and failed */
	pthread_cond_t freed;
	unsigned long written;
	bool writing;
	int failed;
	struct batch batches[NR_BATCHES];
};

int relay_new(struct relay **out, const struct relay_work *work, struct buf *to)
{
	struct relay *r = aligned_alloc(_Alignof(struct relay), sizeof(*r));

	if (!r)
		return -SONDE_NOMEM;
	memset(r, 0, sizeof(*r));
	r->work = *work;
	r->to = to;
	pthread_mutex_init(&r->reading, NULL);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->freed, NULL);
	for (size_t i = 0; i < NR_BATCHES; i++)
		r->batches[i].items = r->batches[i].ends = r->batches[i].raw = r->batches[i].text = BUF_MEMORY;
	*out = r;
	return 0;
}

void relay_free(struct relay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < NR_BATCHES; i++) {
		buf_free(&r->batches[i].items);
		buf_free(&r->batches[i].ends);
		buf_free(&r->batches[i].raw);
		buf_free(&r->batches[i].text);
	}
	pthread_cond_destroy(&r->freed);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->reading);
	free(r);
}

bool relay_is_full(const struct relay *r)
{
	return r->filling->items.n >= BATCH_ITEMS * r->work.item_bytes;
}

void *relay_next(struct relay *r, const uint8_t *raw, size_t n)
{
	struct batch *b = r->filling;
	char *item = buf_room(&b->items, r->work.item_bytes), *end = buf_room(&b->ends, sizeof(size_t));
	size_t at;

	buf_put(&b->raw, raw, n);
	if (!item || !end || b->raw.failed)
		return NULL;
	at = b->raw.n;
	memcpy(end, &at, sizeof(at));
	b->ends.n += sizeof(at);
	b->items.n += r->work.item_bytes;
	return item;
}

static void format(const struct relay *r, struct batch *b)
{
	size_t nr = b->items.n / r->work.item_bytes, at = 0;

	for (size_t i = 0; i < nr; i++) {
		r->work.format(r->work.ctx, b->items.p + i * r->work.item_bytes, (const uint8_t *)b->raw.p + at, &b->text);
		memcpy(&at, b->ends.p + i * sizeof(at), sizeof(at));
	}
}

/* A batch is formatted: writes all that are ready and whose turn it is, unless another thread is at it. */
static void finish(struct relay *r, struct batch *b)
{
	pthread_mutex_lock(&r->lock);
	b->ready = true;
	while (!r->writing && (b = &r->batches[r->written % r->nr_batches])->ready) {
		r->writing = true;
		pthread_mutex_unlock(&r->lock);
		crew_hand_over(&b->text, r->to);
		b->items.n = b->ends.n = b->raw.n = 0;
		pthread_mutex_lock(&r->lock);
		r->failed = r->to->failed;
		r->writing = b->ready = b->in_use = false;
		r->written++;
		pthread_cond_signal(&r->freed);
	}
	pthread_mutex_unlock(&r->lock);
}

/* The baton is ours: a batch that nobody needs, or NULL when writing has failed. */
static struct batch *take_batch(struct relay *r)
{
	struct batch *b = &r->batches[r->filled % r->nr_batches];

	pthread_mutex_lock(&r->lock);
	while (b->in_use && !r->failed)
		pthread_cond_wait(&r->freed, &r->lock);
	if (r->failed)
		b = NULL;
	else
		b->in_use = true;
	pthread_mutex_unlock(&r->lock);
	return b;
}

/* Reads a batch; NULL if there is nothing more to read. */
static struct batch *read_batch(struct relay *r)
{
	struct batch *b = r->ended ? NULL : take_batch(r);

	if (!b) {
		r->ended = true;
		return NULL;
	}
	r->filling = b;
	r->filled++;
	r->result = r->work.read(r->work.ctx);
	if (r->result <= 0)
		r->ended = true;
	return b;
}

static void *work(void *arg)
{
	struct relay *r = arg;
	struct batch *b;

	do {
		pthread_mutex_lock(&r->reading);
		b = read_batch(r);
		pthread_mutex_unlock(&r->reading);
		if (b) {
			format(r, b);
			finish(r, b);
		}
	} while (b);
	return NULL;
}

int relay_run(struct relay *r, unsigned threads)
{
	pthread_t helpers[MAX_THREADS];
	unsigned nr = 0;

	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	r->nr_batches = 2 * threads + 4;
	while (nr < threads && thread_begin(&helpers[nr], work, r) == 0)
		nr++;
	work(r);
	for (unsigned i = 0; i < nr; i++)
		pthread_join(helpers[i], NULL);
	return r->result < 0 ? r->result : r->to->failed;
}
