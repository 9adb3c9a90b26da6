/* SPDX-License-Identifier: MIT */
#include "tracedat/write/recording_pack.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/thread.h"
#include "tracedat/format/file.h"

#define WAKE_BYTES (256u << 10)      /* of new pages wake the thread */
#define NICE 10                      /* recorded programs go first: the end of the recording can compress the rest */
#define LEVEL 1

/* Pages that become one chunk. */
struct page_batch {
	struct packed_pages *to;
	uint64_t at;                 /* in the recording */
	size_t n;
};

/*
 * The next pages of a CPU, at most a chunk. Unless @rest, only a full chunk is taken, or the last pages of an extent
 * that is full: the newest page may be written once more.
 */
static bool next_batch(struct recording *r, const struct buffer *b, struct recorded_extents *l, bool rest,
		       struct page_batch *out)
{
	size_t chunk = (size_t)b->page_size * DAT_CHUNK_PAGES;
	uint64_t skip = l->packed.raw;
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < l->of.n && !found; i++) {
		const struct recorded_extent *x = &l->of.at[i];
		bool final = rest || i + 1 < l->of.n;
		uint64_t end = final || x->used < b->page_size ? x->used : x->used - b->page_size;
		uint64_t n = end > skip ? end - skip : 0;

		*out = (struct page_batch){ &l->packed, x->at + skip, n < chunk ? (size_t)n : chunk };
		found = n && (final || n >= chunk);
		skip -= skip < x->used ? skip : x->used;
	}
	pthread_mutex_unlock(&r->lock);
	return found;
}

static int pack_batch(struct recording *r, const struct page_batch *b)
{
	struct page_packing *k = &r->packing;
	uint64_t at = output_at(&k->chunks);
	struct chunk_run *last = b->to->runs.n ? &b->to->runs.at[b->to->runs.n - 1] : NULL;
	const uint8_t *packed;
	size_t n;

	if (pread(r->file.fd, k->room, b->n, (off_t)b->at) != (ssize_t)b->n)
		return -SONDE_SYSTEM;
	packed = packer_pack(&k->packer, k->room, b->n, &n);
	if (!packed)
		return -SONDE_NOMEM;
	put_u32(&k->chunks.buf, (uint32_t)n, false);
	put_u32(&k->chunks.buf, (uint32_t)b->n, false);
	buf_put(&k->chunks.buf, packed, n);
	if (last && last->at + last->n == at)
		last->n += 8 + n;
	else if (vec_push(&b->to->runs, ((struct chunk_run){ at, 8 + n })) < 0)
		return -SONDE_NOMEM;
	b->to->raw += b->n;
	b->to->nr_chunks++;
	b->to->n += 8 + n;
	return k->chunks.buf.failed;
}

/* A chunk of each CPU: their number, or negative. */
static int pack_some(struct recording *r, bool rest)
{
	int n = 0;

	for (size_t i = 0; i < r->nr_buffers; i++)
		for (size_t c = 0; c < r->buffers[i].nr_cpus; c++) {
			struct buffer *b = &r->buffers[i];
			struct page_batch batch;

			if (!next_batch(r, b, &b->extents[c], rest, &batch))
				continue;
			if (pack_batch(r, &batch) < 0)
				return -1;
			n++;
		}
	return n;
}

static void close_chunks(struct recording *r)
{
	if (r->packing.open)
		output_close(&r->packing.chunks);
	r->packing.open = false;
}

void dat_recording_pack_tell(struct recording *r, uint64_t bytes)
{
	struct page_packing *k = &r->packing;

	k->fresh += bytes;
	if (k->fresh >= WAKE_BYTES)
		pthread_cond_signal(&k->wake);
}

/* Waits for new pages if @idle. False when the recording ends. */
static bool go_on(struct recording *r, bool idle)
{
	struct page_packing *k = &r->packing;
	bool ending;

	pthread_mutex_lock(&r->lock);
	while (idle && !k->ending && k->fresh < WAKE_BYTES)
		pthread_cond_wait(&k->wake, &r->lock);
	k->fresh = 0;
	ending = k->ending;
	pthread_mutex_unlock(&r->lock);
	return !ending;
}

static void *run(void *arg)
{
	struct recording *r = arg;
	int n = 0;

	setpriority(PRIO_PROCESS, 0, NICE);  /* of this thread */
	while (n >= 0 && go_on(r, n == 0))
		n = pack_some(r, false);
	if (n < 0)                   /* the disk may be full: the pages need the room */
		close_chunks(r);
	return NULL;
}

void dat_recording_pack_start(struct recording *r)
{
	struct page_packing *k = &r->packing;
	size_t chunk = 0;

	for (size_t i = 0; i < r->nr_buffers; i++)
		if (chunk < (size_t)r->buffers[i].page_size * DAT_CHUNK_PAGES)
			chunk = (size_t)r->buffers[i].page_size * DAT_CHUNK_PAGES;
	k->room = malloc(chunk);
	k->open = k->room && packer_init(&k->packer, r->codec, LEVEL, &k->err) == 0 &&
		output_open(&k->chunks, r->file.path, NULL, &k->err) == 0;
	k->started = k->open && thread_begin(&k->thread, run, r) == 0;
}

static void end_thread(struct recording *r)
{
	struct page_packing *k = &r->packing;

	if (!k->started)
		return;
	pthread_mutex_lock(&r->lock);
	k->ending = true;
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&r->lock);
	pthread_join(k->thread, NULL);
	k->started = false;
}

bool dat_recording_pack_rest(struct recording *r)
{
	struct page_packing *k = &r->packing;
	int n = 1;

	end_thread(r);
	while (k->open && n > 0)
		n = pack_some(r, true);
	return n == 0 && buf_flush(&k->chunks.buf) == 0;
}

void dat_recording_pack_end(struct recording *r)
{
	struct page_packing *k = &r->packing;

	end_thread(r);
	close_chunks(r);
	packer_free(&k->packer);
	free(k->room);
	k->packer = (struct packer){ 0 };
	k->room = NULL;
}
