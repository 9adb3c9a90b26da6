/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/record_source.h"

#include <stdio.h>

#define EXPANSION_BYTES (512 * 1024)             /* decompressed at once */

/* Room for more decompressed bytes after those at hand. */
static int make_room(struct expansion *e, struct sonde_error *err)
{
	size_t have = at_hand(&e->scan), cap = e->cap ? e->cap : EXPANSION_BYTES;
	uint8_t *p;

	if (have)
		memmove(e->p, e->scan.p, have);
	while (have > cap / 2)
		cap *= 2;
	p = cap == e->cap ? e->p : realloc(e->p, cap);
	if (!p)
		return err_nomem(err);
	e->p = p;
	e->n = have;
	e->cap = cap;
	e->scan.p = p;
	e->scan.end = p + have;
	return 0;
}

static int expand(struct scan *s, uint64_t need, struct sonde_error *err)
{
	struct expansion *e = (struct expansion *)s;
	size_t n;

	while (at_hand(s) < need && e->unpacker.waiting) {
		int r = make_room(e, err);

		n = e->cap - e->n;
		if (r == 0)
			r = unpacker_step(&e->unpacker, e->p + e->n, &n, &e->lost, err);
		if (r < 0)
			return r;
		e->n += n;
		s->end += n;
		if (!e->unpacker.waiting && vec_push(&e->ends, e->unpacker.nr_out) < 0)
			return err_nomem(err);
	}
	return at_hand(s) >= need;
}

static void begin_expansion(struct record_source *f)
{
	f->expansion.scan = (struct scan){
		.limit = SONDE_NONE,
		.evlist = &f->in->evlist,
		.swap = f->in->header.swap,
		.unpacked = true,
		.fill = expand,
	};
}

static void end_expansion(struct expansion *e)
{
	unpacker_free(&e->unpacker);
	free(e->p);
	free(e->packed);
	vec_free(&e->ends);
	vec_free(&e->passed_ends);
	*e = (struct expansion){ .n = 0 };
}

int record_source_open(struct record_source *f, struct layout *in, int dir_fd, bool expand, struct sonde_error *err)
{
	*f = (struct record_source){
		.in = in, .expand = expand, .dir_fd = dir_fd, .part_image = { .fd = -1, .dir_fd = -1 }, .err = err,
	};
	f->scan = image_scan(in->image, &in->evlist, in->header.swap, in->data.offset,
			     in->data.offset + in->data.size);
	begin_expansion(f);
	if (dir_fd < 0 || !directory_may_have_parts(&in->meta))
		return 0;
	return directory_list_parts(dir_fd, &f->numbers, err);
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
	f->scan = image_scan(&f->part_image, &f->in->evlist, f->in->header.swap, 0, f->part_image.size);
	begin_expansion(f);
	return 1;
}

/* Notes which compressed records end within bytes that have been passed. */
static int note_ends(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	size_t past = 0;

	e->passed_ends.n = 0;
	while (past < e->ends.n && e->ends.at[past] <= e->scan.at) {
		if (vec_push(&e->passed_ends, (size_t)(e->scan.at - e->ends.at[past])) < 0)
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

/* Gives a compressed record to the decompressor: 1, 0 when it is lost, or negative. */
static int take_compressed(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	int r;

	f->nr_packed++;
	if (!e->packed && !(e->packed = malloc(UINT16_MAX)))
		return err_nomem(f->err);
	memcpy(e->packed, out->record.p, out->record.h.size);
	out->record.p = e->packed;
	e->place = out->record.at;
	r = unpacker_take(&e->unpacker, &f->in->meta, f->in->header.swap, &out->record, f->err);
	if (r == 0)
		out->step = SCAN_DAMAGE;
	return r;
}

/* The next record out of the compressed one, or damage in it: 1, 0 if more input is needed, negative on failure. */
static int next_expanded(struct record_source *f, struct record_step *out)
{
	struct expansion *e = &f->expansion;
	int step = e->lost.name ? SCAN_END : scan_next(&e->scan, &out->record, f->err);

	if (step < 0)
		return step;
	if (step == SCAN_RECORD)
		scan_pass(&e->scan, out->record.bytes);
	else if (step == SCAN_END && e->lost.name)
		out->record = e->lost;
	if (step == SCAN_END && !e->lost.name)
		return 0;
	out->step = step == SCAN_RECORD ? SCAN_RECORD : SCAN_DAMAGE;
	out->expanded = true;
	out->record.at = e->place;
	if (step == SCAN_END)
		e->lost.name = NULL;
	step = note_ends(f, out);
	return step < 0 ? step : 1;
}

int record_source_next(struct record_source *f, struct record_step *out)
{
	int r;

	for (;;) {
		*out = (struct record_step){ .image = f->scan.image, .part = f->part ? f->name : NULL,
					     .part_number = f->part ? f->numbers.at[f->part - 1] + 1 : 0 };
		r = f->expand ? next_expanded(f, out) : 0;
		if (r != 0)
			return r < 0 ? r : 0;
		out->step = image_scan_next(&f->scan, &out->record);
		if (out->step == SCAN_END) {
			out->expanded = scan_cut(&f->expansion.scan, &out->record);
			out->record.at = f->expansion.place;
			if (out->expanded) {
				out->step = SCAN_DAMAGE;
				return 0;
			}
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
		r = take_compressed(f, out);
		if (r <= 0 || f->show_packed)
			return r < 0 ? r : 0;
	}
}
