/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/record_source.h"

#include "codec/zstd.h"
#include "perfdata/format/compressed.h"
#include "perfdata/scan/resync.h"

#include <stdio.h>

#define EXPANSION_BYTES (512 * 1024)             /* decompressed at once */
#define EXPANSION_PAYLOAD_MAX (16 * 1024 * 1024) /* what may follow a record inside of compressed ones */

int record_source_open(struct record_source *f, struct layout *in, int dir_fd, bool expand, struct sonde_error *err)
{
	*f = (struct record_source){ .in = in, .expand = expand, .dir_fd = dir_fd, .part_image = { .fd = -1, .dir_fd = -1 }, .err = err };
	f->scan = (struct scan){ in->image, &in->sources, in->header.swap, in->data.offset, in->data.offset + in->data.size };
	/* what was never finished has no features to tell */
	if (dir_fd < 0 || (!in->unfinished && in->meta.dir_version != DIR_FORMAT_PARTS))
		return 0;
	return directory_list_parts(dir_fd, &f->numbers, err);
}

static void end_expansion(struct expansion *e)
{
	decoder_free(&e->decoder);
	free(e->p);
	free(e->packed);
	vec_free(&e->ends);
	vec_free(&e->passed_ends);
	*e = (struct expansion){ 0 };
}

void record_source_close(struct record_source *f)
{
	if (!f->in)
		return;
	end_expansion(&f->expansion);
	image_close(&f->part_image);
	vec_free(&f->numbers);
}

/* The next file: 1, 0 if there is none, negative on failure. */
static int next_part(struct record_source *f)
{
	int r = image_shrunk(&f->part_image, f->err);

	if (r < 0 || f->part == f->numbers.n)
		return r;
	end_expansion(&f->expansion);
	image_close(&f->part_image);
	snprintf(f->name, sizeof(f->name), "data.%u", f->numbers.at[f->part++]);
	r = image_open_at(&f->part_image, f->dir_fd, f->name, f->err);
	if (r < 0)
		return r;
	f->scan = (struct scan){ &f->part_image, &f->in->sources, f->in->header.swap, 0, f->part_image.size };
	return 1;
}

static void lose(struct record_step *out, uint64_t bytes, const char *what)
{
	out->step = SCAN_GARBAGE;
	out->record.bytes = bytes;
	out->damage = what;
}

/* Room for more decompressed bytes behind those that wait. */
static int make_room(struct record_source *f)
{
	struct expansion *e = &f->expansion;
	size_t have = e->n - e->at, cap = e->cap ? e->cap : EXPANSION_BYTES;
	uint8_t *p = e->p;

	if (have)
		memmove(e->p, e->p + e->at, have);
	e->at = 0;
	e->n = have;
	while (have > cap / 2)
		cap *= 2;
	if (cap == e->cap)
		return 0;
	p = realloc(e->p, cap);
	if (!p)
		return err_nomem(f->err);
	e->p = p;
	e->cap = cap;
	return 0;
}

/* Decompresses more: 0, or negative. What cannot be is told in @out. */
static int expand_more(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	struct sonde_error why = { 0 };
	size_t room;
	int r = make_room(f);

	if (r < 0)
		return r;
	room = e->cap - e->n;
	e->io.out = e->p + e->n;
	e->io.nr_out = room;
	r = decoder_step(&e->decoder, &e->io, &why);
	if (r == -SONDE_NOMEM)
		return err_nomem(f->err);
	room -= e->io.nr_out;
	e->n += room;
	e->nr_out += room;
	e->waiting = r > 0;
	if (r < 0)
		lose(out, e->io.nr_in, "bytes of compressed records that cannot be decompressed");
	else if (compressed_expands_too_far(e->nr_in, e->nr_out))
		lose(out, e->io.nr_in, "bytes of compressed records that expand more than 1000-fold: what follows is not decompressed");
	if (out->damage) {
		e->waiting = false;
		e->broken = true;
	}
	if (!e->waiting && vec_push(&e->ends, e->nr_out) < 0)
		return err_nomem(f->err);
	return 0;
}

/* The next n bytes are on their way; notes which compressed records end within them. */
static int note_passed(struct record_source *f, size_t n, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	size_t past = 0;

	e->at += n;
	e->nr_passed += n;
	e->passed_ends.n = 0;
	while (past < e->ends.n && e->ends.at[past] <= e->nr_passed) {
		if (vec_push(&e->passed_ends, (size_t)(e->nr_passed - e->ends.at[past])) < 0)
			return err_nomem(f->err);
		past++;
	}
	if (past) {
		e->ends.n -= past;
		memmove(e->ends.at, e->ends.at + past, e->ends.n * sizeof(*e->ends.at));
	}
	out->ends = e->passed_ends.at;
	out->nr_ends = e->passed_ends.n;
	return 0;
}

/* Gives a compressed record to the decoder. */
static int take_compressed(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	struct sonde_bytes b = compressed_payload(out->record.p, &out->record.h, f->in->header.swap);
	const struct sonde_meta *meta = &f->in->meta;
	int r = 0;

	if (meta->compressed.type && meta->compressed.type != COMPRESSED_ZSTD) {
		lose(out, out->record.bytes, "bytes of compressed records of a kind that is not zstd");
		return 0;
	}
	if ((!e->decoder.state || e->broken) && compressed_begins_stream(b)) {
		if (e->decoder.state)
			decoder_reset(&e->decoder);
		else
			r = decoder_init(&e->decoder, &codec_zstd, f->err);
		e->broken = false;
	}
	if (r == 0 && !e->packed && !(e->packed = malloc(UINT16_MAX)))
		r = err_nomem(f->err);
	if (r < 0)
		return r;
	if (!e->decoder.state || e->broken) {
		lose(out, out->record.bytes, "bytes of compressed records that cannot be decompressed, because what came before them could not");
		return 0;
	}
	if (b.len)
		memcpy(e->packed, b.p, b.len);
	e->place = out->record.at;
	e->io.in = e->packed;
	e->io.nr_in = b.len;
	e->nr_in += b.len;
	e->waiting = b.len > 0;
	return 0;
}

/* Passes what cannot be a record, up to where there are some again. */
static int pass_damage(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	struct image im;
	struct scan s = { &im, &f->in->sources, f->in->header.swap, 0, e->n - e->at };

	image_memory(&im, e->p + e->at, e->n - e->at);
	out->step = scan_next(&s, &out->record);
	if (out->step == SCAN_RECORD)  /* never: but a step must be made */
		s.at = e->n - e->at;
	out->step = SCAN_GARBAGE;
	out->record.bytes = s.at;
	out->record.at = e->place;
	return note_passed(f, (size_t)s.at, out);
}

/* The next record out of the compressed one: 1, 0 if more input is needed, negative on failure. */
static int next_expanded(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	struct scanned *r = &out->record;
	bool swap = f->in->header.swap;
	int failed;

	for (;;) {
		size_t left = e->n - e->at;
		const uint8_t *p = left ? e->p + e->at : NULL;

		out->expanded = true;
		r->at = e->place;
		if (left >= RECORD_HEADER_BYTES) {
			r->h = record_header(p, swap);
			if (!record_may_begin(&r->h)) {
				failed = pass_damage(f, out);
				return failed < 0 ? failed : 1;
			}
			r->payload = r->h.size <= left ? record_payload(p, &r->h, swap) : 0;
			if (r->payload > EXPANSION_PAYLOAD_MAX || r->h.type == RECORD_COMPRESSED || r->h.type == RECORD_COMPRESSED2) {
				failed = note_passed(f, r->h.size < left ? r->h.size : left, out);
				lose(out, r->h.size, "bytes of records that have no place in compressed ones");
				return failed < 0 ? failed : 1;
			}
			if (r->h.size + r->payload <= left) {
				out->step = SCAN_RECORD;
				r->p = p;
				r->bytes = r->h.size + r->payload;
				out->payload = r->payload ? p + r->h.size : NULL;
				failed = note_passed(f, (size_t)r->bytes, out);
				return failed < 0 ? failed : 1;
			}
		}
		if (!e->waiting)
			return 0;
		failed = expand_more(f, out);
		if (failed < 0)
			return failed;
		if (out->damage)
			return 1;
	}
}

/* What is left of a record when nothing comes any more. */
static bool cut_expanded(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;

	if (e->at == e->n)
		return false;
	out->step = SCAN_CUT;
	out->record = (struct scanned){ .at = e->place, .bytes = e->n - e->at };
	e->at = e->n;
	return true;
}

int record_source_next(struct record_source *f, struct record_step *out)
{
	int r;

	for (;;) {
		*out = (struct record_step){ .image = f->scan.image, .part = f->part ? f->name : NULL, .part_number = f->part ? f->numbers.at[f->part - 1] + 1 : 0 };
		if (f->expansion.waiting || f->expansion.at < f->expansion.n) {
			r = next_expanded(f, out);
			if (r != 0)
				return r < 0 ? r : 0;
			out->expanded = false;
		}
		out->step = scan_next(&f->scan, &out->record);
		if (out->step == SCAN_END) {
			if (cut_expanded(f, out))
				return 0;
			r = image_failed(f->scan.image, f->err);
			if (r == 0)
				r = next_part(f);
			if (r <= 0)
				return r;
			continue;
		}
		if (out->step != SCAN_RECORD || !f->expand ||
		    (out->record.h.type != RECORD_COMPRESSED && out->record.h.type != RECORD_COMPRESSED2))
			return 0;
		f->nr_packed++;
		r = take_compressed(f, out);
		if (r < 0 || out->damage || f->show_packed)
			return r;
	}
}
