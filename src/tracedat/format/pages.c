/* SPDX-License-Identifier: MIT */
#include "tracedat/format/pages.h"

#include <unistd.h>

#include "codec/zstd.h"
#include "tracedat/format/encode.h"

#define BLOCK_BYTES (256u * 1024)
#define FIND_BYTES_MAX (1u << 20)

void dat_pages_start(struct page_reader *r, struct dat_file *f, const struct dat_buffer *b, const struct dat_extent *a)
{
	const uint8_t *p;

	f = a->from ? a->from : f;
	*r = (struct page_reader){ .f = f, .buffer = b, .at = a->bytes.at, .end = a->bytes.at + a->bytes.n,
				   .more = a->more, .nr_more = a->nr_more, .damaged_at = SONDE_NONE };
	if (!b->packed || a->bytes.n == 0)
		return;
	p = a->bytes.n >= 4 ? image_view(f->image, r->at, 4) : NULL;
	r->nr_chunks = p ? load_u32(p, f->swap) : 0;
	r->at += 4;
}

static int make_room(struct page_reader *r, size_t n, struct sonde_error *err)
{
	if (n <= r->cap)
		return 0;
	free(r->room);
	r->room = malloc(n);
	r->cap = r->room ? n : 0;
	return r->room ? 0 : err_nomem(err);
}

static void damage(struct page_reader *r, uint64_t n)
{
	if (r->nr_damaged == 0)
		r->damaged_at = r->at;
	r->nr_damaged += n;
}

uint64_t dat_pages_hole(int fd, uint64_t at, uint64_t end, uint32_t page_size)
{
	off_t data = fd < 0 ? -1 : lseek(fd, (off_t)at, SEEK_DATA);
	uint64_t n = data > (off_t)at ? (uint64_t)data - at : 0;

	n = n < end - at ? n : end - at;
	return n - n % page_size;
}

/* Goes on to the next place that has pages. */
static bool find_plain(struct page_reader *r, uint32_t page)
{
	while (1) {
		if (r->in_hole && r->at < r->end)
			r->at += dat_pages_hole(r->f->image->fd, r->at, r->end, page);
		if (r->at < r->end)
			return true;
		if (!r->nr_more)
			return false;
		r->at = r->more->at;
		r->end = r->at + r->more->n;
		r->more++;
		r->nr_more--;
		r->in_hole = false;
	}
}

/* Pages as they lie in the image. */
static int next_plain(struct page_reader *r, struct page_run *out, struct sonde_error *err)
{
	uint32_t page = r->buffer->page_size;
	uint64_t want = page < BLOCK_BYTES ? BLOCK_BYTES / page * page : page;
	size_t got = 0, n;

	if (!find_plain(r, page))
		return 0;
	want = want < r->end - r->at ? want : r->end - r->at;
	if (make_room(r, (size_t)want, err) < 0)
		return -SONDE_NOMEM;
	while (got < want) {
		const uint8_t *p = image_view_some(r->f->image, r->at + got, want - got, &n);

		if (!p || n == 0)
			break;
		memcpy(r->room + got, p, n);
		got += n;
	}
	if (got == 0)
		return image_failed(r->f->image, err);
	*out = (struct page_run){ r->room, got, r->at, false };
	r->at += got;
	r->in_hole = got == want && got >= page && pages_are_empty(r->room + got - page, page);
	return 1;
}

/* Whether a chunk of whole pages can begin at @at: then its packed bytes begin as the compressor's do. */
static bool can_be_chunk(struct page_reader *r, uint64_t at)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const uint8_t *p = at + 12 <= r->end ? image_view(r->f->image, at, 12) : NULL;
	uint32_t packed = p ? load_u32(p, r->f->swap) : 0, size = p ? load_u32(p + 4, r->f->swap) : 0;

	if (!p || packed > r->end - at - 8 || size == 0 || size % r->buffer->page_size ||
	    size / r->buffer->page_size > 256)
		return false;
	return r->f->codec == &codec_zstd ? memcmp(p + 8, zstd, sizeof(zstd)) == 0 : p[8] == 0x78;
}

/* After damage: on to where the next chunk can begin. */
static bool find_chunk(struct page_reader *r)
{
	for (uint64_t at = r->at + 1; at + 12 <= r->end && at - r->at < FIND_BYTES_MAX; at++)
		if (can_be_chunk(r, at)) {
			r->at = at;
			return true;
		}
	return false;
}

/* The next chunk that can be read. */
static int next_chunk(struct page_reader *r, struct page_run *out, struct sonde_error *err)
{
	struct dat_file *f = r->f;

	while (r->nr_chunks) {
		const uint8_t *p = r->at + 8 <= r->end ? image_view(f->image, r->at, 8) : NULL;
		uint32_t packed = p ? load_u32(p, f->swap) : 0, size = p ? load_u32(p + 4, f->swap) : 0;
		struct dat_bytes bytes = { NULL, r->at + 8, packed };
		uint8_t *owned;
		uint64_t at = r->at;
		int failed;

		if (!p || packed > r->end - r->at - 8 || (r->resync && !can_be_chunk(r, r->at))) {
			if (r->resync && find_chunk(r)) {
				damage(r, 1);
				continue;
			}
			damage(r, r->nr_chunks);
			r->nr_chunks = 0;
			return 0;
		}
		r->nr_chunks--;
		if (size == 0 || size > f->budget) {
			if (size)
				damage(r, 1);
			r->at += 8 + (uint64_t)packed;
			continue;
		}
		f->budget -= size;
		p = dat_bytes_get(f, &bytes, &owned, err);
		if (!p || make_room(r, size, err) < 0) {
			free(owned);
			return -SONDE_NOMEM;
		}
		failed = dat_unpack(f, p, packed, r->room, size, NULL);
		free(owned);
		if (failed == -SONDE_NOMEM)
			return err_nomem(err);
		if (failed < 0)
			damage(r, 1);
		if (failed < 0 && r->resync && find_chunk(r))
			continue;
		r->at += 8 + (uint64_t)packed;
		if (failed < 0)
			continue;
		*out = (struct page_run){ r->room, size, at, true };
		return 1;
	}
	return 0;
}

int dat_pages_next(struct page_reader *r, struct page_run *out, struct sonde_error *err)
{
	return r->buffer->packed ? next_chunk(r, out, err) : next_plain(r, out, err);
}

void dat_pages_end(struct page_reader *r)
{
	free(r->room);
	r->room = NULL;
}

int dat_page_writer_start(struct page_writer *w, struct output *to, uint32_t page_size, bool swap,
			  struct packer *packer, struct sonde_error *err)
{
	*w = (struct page_writer){ .to = to, .swap = swap, .page_size = page_size, .packer = packer,
				   .align = page_size };
	if (!packer)
		return 0;
	w->chunk_bytes = (size_t)page_size * DAT_CHUNK_PAGES;
	w->chunk = malloc(w->chunk_bytes);
	return w->chunk ? 0 : err_nomem(err);
}

static void begin_extent(struct page_writer *w)
{
	uint64_t at = output_at(w->to);

	buf_pad(&w->to->buf, 0, (size_t)(page_align(at, w->align) - at));
	w->at = output_at(w->to);
	w->begun = true;
	if (w->packer)
		put_u32(&w->to->buf, 0, false);  /* how many chunks, known at the end */
}

static int write_chunk(struct page_writer *w, struct sonde_error *err)
{
	size_t size;
	const uint8_t *packed = packer_pack(w->packer, w->chunk, w->nr_chunk, &size);

	if (!packed)
		return err_nomem(err);
	put_u32(&w->to->buf, (uint32_t)size, w->swap);
	put_u32(&w->to->buf, (uint32_t)w->nr_chunk, w->swap);
	buf_put(&w->to->buf, packed, size);
	w->nr_chunk = 0;
	w->nr_chunks++;
	return w->to->buf.failed;
}

int dat_page_writer_put(struct page_writer *w, const void *p, size_t n, struct sonde_error *err)
{
	const uint8_t *from = p;

	if (!w->begun)
		begin_extent(w);
	w->bytes += n;
	if (!w->packer) {
		buf_put(&w->to->buf, p, n);
		return w->to->buf.failed;
	}
	while (n) {
		size_t room = w->chunk_bytes - w->nr_chunk, take = n < room ? n : room;
		int r;

		memcpy(w->chunk + w->nr_chunk, from, take);
		w->nr_chunk += take;
		from += take;
		n -= take;
		r = w->nr_chunk == w->chunk_bytes ? write_chunk(w, err) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int dat_page_writer_copy(struct page_writer *w, struct image *im, uint64_t at, uint64_t n, uint32_t nr_chunks,
			 struct sonde_error *err)
{
	if (!w->begun)
		begin_extent(w);
	w->bytes += w->packer ? 0 : n;
	w->nr_chunks += nr_chunks;
	return output_copy(w->to, im, at, n, err);
}

int dat_page_writer_finish(struct page_writer *w, uint64_t *n, struct sonde_error *err)
{
	size_t page = w->page_size, left = w->bytes % page;
	static const uint8_t zeros[4096];
	uint8_t count[4];
	int r = 0;

	*n = 0;
	if (!w->begun)
		return 0;
	/* the last page is whole, as every reader expects */
	for (size_t pad = left ? page - left : 0; pad && r == 0;) {
		size_t take = pad < sizeof(zeros) ? pad : sizeof(zeros);

		r = dat_page_writer_put(w, zeros, take, err);
		pad -= take;
	}
	if (r == 0 && w->nr_chunk)
		r = write_chunk(w, err);
	*n = output_at(w->to) - w->at;
	if (r == 0 && w->packer) {
		store_u32(count, w->nr_chunks, w->swap);
		r = output_patch(w->to, count, sizeof(count), w->at, err);
	}
	return r;
}

void dat_page_writer_free(struct page_writer *w)
{
	free(w->chunk);
	w->chunk = NULL;
}
