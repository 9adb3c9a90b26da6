/* SPDX-License-Identifier: MIT */
#include "symbol/bundle_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/put.h"

/*
 * Version, number of addresses, of frames, bytes of texts; then all addresses, the number of the first frame of each,
 * the frames as four words, texts with a NUL each. 0 as an offset in the texts stands for none. In little-endian order.
 */
enum { VERSION = 1, FRAME_WORDS = 4 };

static uint32_t text_of(struct bundle_lines_writer *w, const char *text)
{
	return text ? strpool_add(&w->texts, text, strlen(text)) : 0;
}

int bundle_lines_add(struct bundle_lines_writer *w, uint64_t addr, const struct source_frame *frames, size_t n)
{
	struct bundle_lines_row row = { addr, (uint32_t)(w->words.n / FRAME_WORDS) };

	if (vec_reserve(&w->words, n * FRAME_WORDS) < 0 || vec_push(&w->rows, row) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		w->words.at[w->words.n++] = text_of(w, frames[i].function);
		w->words.at[w->words.n++] = text_of(w, frames[i].file);
		w->words.at[w->words.n++] = frames[i].line;
		w->words.at[w->words.n++] = frames[i].column;
	}
	return 0;
}

/* Where each text begins. The first one is empty, and stands for none. */
static void place_texts(const struct bundle_lines_writer *w, uint32_t *at, struct buf *texts)
{
	if (!w->texts.names.n)
		buf_char(texts, 0);
	for (uint32_t i = 0; i < w->texts.names.n; i++) {
		at[i] = (uint32_t)texts->n;
		put_strz(texts, strpool_get(&w->texts, i));
	}
}

void bundle_lines_encode(struct buf *out, const struct bundle_lines_writer *w)
{
	bool swap = host_is_big_endian();
	uint32_t *at = malloc((w->texts.names.n + 1) * sizeof(*at));
	struct buf texts = BUF_MEMORY;

	if (!at) {
		out->failed = -SONDE_NOMEM;
		return;
	}
	place_texts(w, at, &texts);
	put_u32(out, VERSION, swap);
	put_u32(out, (uint32_t)w->rows.n, swap);
	put_u32(out, (uint32_t)(w->words.n / FRAME_WORDS), swap);
	put_u32(out, (uint32_t)texts.n, swap);
	for (size_t i = 0; i < w->rows.n; i++)
		put_u64(out, w->rows.at[i].addr, swap);
	for (size_t i = 0; i < w->rows.n; i++)
		put_u32(out, w->rows.at[i].first, swap);
	for (size_t i = 0; i < w->words.n; i++) {
		uint32_t word = w->words.at[i];
		bool is_text = i % FRAME_WORDS < 2 && w->texts.names.n;

		put_u32(out, is_text ? at[word] : word, swap);
	}
	buf_move(out, &texts);
	buf_free(&texts);
	free(at);
}

void bundle_lines_writer_free(struct bundle_lines_writer *w)
{
	vec_free(&w->rows);
	vec_free(&w->words);
	strpool_free(&w->texts);
}

struct bundle_lines {
	uint8_t *bytes;
	uint32_t nr_rows, nr_frames, text_size;
	const uint8_t *rows, *firsts, *frames;
	const char *texts;
};

struct bundle_lines *bundle_lines_new(uint8_t *p, size_t n)
{
	struct cursor c = cur_new(p, n, 0, host_is_big_endian(), NULL);
	struct bundle_lines *l = calloc(1, sizeof(*l));
	uint32_t version = cur_u32(&c);

	if (!l) {
		free(p);
		return NULL;
	}
	l->bytes = p;
	l->nr_rows = cur_u32(&c);
	l->nr_frames = cur_u32(&c);
	l->text_size = cur_u32(&c);
	l->rows = cur_array(&c, l->nr_rows, sizeof(uint64_t));
	l->firsts = cur_array(&c, l->nr_rows, sizeof(uint32_t));
	l->frames = cur_array(&c, l->nr_frames, FRAME_WORDS * sizeof(uint32_t));
	l->texts = (const char *)cur_take(&c, l->text_size);
	if (cur_ok(&c) && version == VERSION && l->text_size && !l->texts[l->text_size - 1])
		return l;
	bundle_lines_free(l);
	return NULL;
}

void bundle_lines_free(struct bundle_lines *l)
{
	if (l)
		free(l->bytes);
	free(l);
}

static const char *text_at(const struct bundle_lines *l, uint32_t at)
{
	return at && at < l->text_size ? l->texts + at : NULL;
}

static uint32_t first_of(const struct bundle_lines *l, uint32_t row)
{
	uint32_t first = row < l->nr_rows ? load_u32(l->firsts + 4 * (size_t)row, host_is_big_endian()) : l->nr_frames;

	return first < l->nr_frames ? first : l->nr_frames;
}

/* The last row that is not above the address. */
static uint32_t row_of(const struct bundle_lines *l, uint64_t addr)
{
	uint32_t low = 0, high = l->nr_rows;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (load_u64(l->rows + 8 * (size_t)middle, host_is_big_endian()) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

void bundle_lines_find(const struct bundle_lines *l, uint64_t addr, struct index_answer *a)
{
	bool swap = host_is_big_endian();
	uint32_t row = row_of(l, addr), first, end;

	a->n = 0;
	if (row >= l->nr_rows || load_u64(l->rows + 8 * (size_t)row, swap) != addr)
		return;
	first = first_of(l, row);
	end = first_of(l, row + 1);
	for (uint32_t i = first; i < end && a->n < INDEX_FRAMES_MAX; i++) {
		const uint8_t *p = l->frames + 16 * (size_t)i;

		a->frames[a->n++] = (struct source_frame){ .function = text_at(l, load_u32(p, swap)),
							   .file = text_at(l, load_u32(p + 4, swap)),
							   .line = load_u32(p + 8, swap),
							   .column = load_u32(p + 12, swap) };
	}
}
