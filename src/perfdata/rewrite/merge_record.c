/* SPDX-License-Identifier: MIT */
/* merge_record.c - a record as it is in the merged file: ids, times, and room for an id that it did not have. */
#include "perfdata/rewrite/merge_record.h"

#include "perfdata/rewrite/merge_input.h"
#include "perfdata/rewrite/merge_read.h"

#define READ_COUNTS_AT 16            /* of a READ record, after the numbers of the task */
#define READ_GROWTH 16               /* see merge_read() */
#define TIME_CONV_ZERO_AT 24         /* of a TIME_CONV record: the time at which the counter of cycles was 0 */

/* The new id for one of an event; an id that the input does not describe can only be the event's. */
static uint64_t new_id(const struct merge_input *in, const struct merged_event *to, uint64_t id)
{
	uint32_t at = u64map_get(&in->ids, id);

	if (at != U64MAP_NONE)
		return in->new_ids.at[at];
	return to->ids.n ? to->ids.at[0] : id;
}

static void patch_stream_id(const struct merge *m, const struct merge_input *in, uint8_t *p)
{
	store_u64(p, merge_stream_id(in, load_u64(p, m->swap)), m->swap);
}

static void patch_time(struct merge *m, const struct merge_input *in, uint8_t *p)
{
	store_u64(p, merge_time(m, in, load_u64(p, m->swap)), m->swap);
}

/* The ids in what read(2) gives, from p on. */
static void patch_read(const struct merge *m, const struct merge_input *in, uint8_t *p, const uint8_t *end,
		       uint64_t format)
{
	size_t times = 8 * (((format & READ_ENABLED) != 0) + (size_t)((format & READ_RUNNING) != 0));
	size_t entry = 16 + 8 * (size_t)((format & READ_LOST) != 0);
	uint64_t nr = 1;

	if (!(format & READ_ID))
		return;
	if (format & READ_GROUP) {
		if (end < p || (size_t)(end - p) < 8 + times)
			return;
		nr = load_u64(p, m->swap);
		p += 8 + times;
		times = 0;
	}
	for (uint64_t i = 0; i < nr && end >= p && (size_t)(end - p) >= times + entry; i++) {
		patch_stream_id(m, in, p + times + 8);
		p += times + entry;
	}
}

static int drop(struct merge *m, const struct merge_input *in, enum sonde_loss_kind kind, const struct sonde_event *ev,
		const char *what)
{
	ledger_add(&m->handle->ledger, kind, 1, ev->file_offset, ev->time, -1, "%s, in %s", what, in->name);
	return 0;
}

/*
 * Room for ids in a sample that is as large as samples can be: stacks are copied in a fixed size, of which the end is
 * mostly not valid. Takes so many bytes away from the n at p, whole words; returns how many: 0 if that cannot be.
 */
static size_t shorten_stack(const struct merge *m, uint8_t *p, size_t n, const struct sonde_attr *attr, size_t less)
{
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	size_t nr, i = 0, end;
	uint64_t size;

	if (sample_fields(p, n, attr, m->swap, fields, &nr) < 0)
		return 0;
	while (i < nr && fields[i].bits != SAMPLE_STACK_USER)
		i++;
	if (i == nr || fields[i].bytes < 16 + less)
		return 0;
	size = load_u64(p + fields[i].at, m->swap);
	end = fields[i].at + fields[i].bytes;      /* its last 8 bytes say how many are valid */
	if (load_u64(p + end - 8, m->swap) > size - less)
		return 0;
	store_u64(p + fields[i].at, size - less, m->swap);
	memmove(p + end - 8 - less, p + end - 8, n - (end - 8));
	return less;
}

/* The sample in the layout of the new file, in m->room: its size, or 0 if its counts cannot be read. */
static size_t place_sample(const struct merge *m, const struct merge_input *in, const struct evsel *from,
			   const struct merged_event *to, const struct sonde_event *ev)
{
	size_t fixed = from->layout.sample_bytes, added = to->layout.sample_bytes - fixed;
	const struct read_change change = { from->attr.read_format, to->attr.read_format, new_id(in, to, ev->id) };
	const uint8_t *rest = ev->raw + fixed, *end = ev->raw + ev->raw_size;
	uint8_t *p = m->room + fixed + added;

	memcpy(m->room, ev->raw, RECORD_HEADER_BYTES);
	memcpy(m->room + RECORD_HEADER_BYTES + added, ev->raw + RECORD_HEADER_BYTES, fixed - RECORD_HEADER_BYTES);
	if (from->attr.sample_type & SAMPLE_READ && change.from != change.to &&
	    merge_read(m, in, &change, &rest, end, &p) < 0)
		return 0;
	memcpy(p, rest, (size_t)(end - rest));
	return (size_t)(p - m->room) + (size_t)(end - rest);
}

static int relay_sample(struct merge *m, const struct merge_input *in, const struct evsel *from,
			const struct merged_event *to, const struct sonde_event *ev, struct sonde_bytes *out)
{
	const uint8_t *at = to->layout.sample;
	uint8_t *p = m->room;
	size_t n;

	if (ev->raw_size < from->layout.sample_bytes)
		return drop(m, in, SONDE_LOSS_CORRUPT, ev, "{sample|samples} that {is|are} shorter than {its|their} "
							   "event says");
	n = place_sample(m, in, from, to, ev);
	if (n == 0)
		return drop(m, in, SONDE_LOSS_CORRUPT, ev, "{sample|samples} whose counts are not those that their "
							   "event says");
	if (n > RECORD_BYTES_MAX)
		n -= shorten_stack(m, p, n, &to->attr, (n - RECORD_BYTES_MAX + 7) & ~(size_t)7);
	if (n > RECORD_BYTES_MAX)
		return drop(m, in, SONDE_LOSS_UNSUPPORTED, ev, "{sample|samples} that {has|have} no room for the id "
							       "of {its|their} event");
	store_u16(p + 6, (uint16_t)n, m->swap);
	if (at[AT_TIME])
		patch_time(m, in, p + at[AT_TIME]);
	if (at[AT_ID])
		store_u64(p + at[AT_ID], new_id(in, to, load_u64(p + at[AT_ID], m->swap)), m->swap);
	if (at[AT_STREAM_ID])
		patch_stream_id(m, in, p + at[AT_STREAM_ID]);
	if (at[AT_IDENTIFIER])
		store_u64(p + at[AT_IDENTIFIER], new_id(in, to, ev->id), m->swap);
	if (from->attr.sample_type & SAMPLE_READ && from->attr.read_format == to->attr.read_format)
		patch_read(m, in, p + to->layout.sample_bytes, p + n, from->attr.read_format);
	*out = (struct sonde_bytes){ p, n };
	return 1;
}

/* Ids and times among the fields of a record, or of an element of its array. */
static void patch_fields(struct merge *m, const struct merge_input *in, const struct record_field *f, uint8_t *p,
			 bool times)
{
	for (; f && f->name; f++) {
		if (f->kind == FIELD_EVENT_ID)
			patch_stream_id(m, in, p + f->at);
		else if (f->kind == FIELD_TIME && times)
			patch_time(m, in, p + f->at);
	}
}

/* Ids and times in bodies, besides the trailer; n bytes of the body are there. */
static void patch_body(struct merge *m, const struct merge_input *in, uint32_t type, uint8_t *p, size_t n,
		       uint64_t read_format)
{
	const struct record_type *row = record_type_find(type);

	if (!row || n < row->min_size)
		return;
	if (type == RECORD_READ)
		patch_read(m, in, p + READ_COUNTS_AT, p + n, read_format);
	patch_fields(m, in, row->fields, p, true);
}

/* Trailers of zeros stand for no event: readers take them for the first event's, whose size they have. */
static size_t put_trailer(struct merge *m, const struct merge_input *in, const struct evsel *from,
			  const struct merged_event *to, const struct sonde_event *ev, uint8_t *p)
{
	size_t n = from->layout.trailer_bytes, all = to->layout.trailer_bytes;
	const uint8_t *at = to->layout.trailer;

	if (bytes_are_zero(ev->raw + ev->raw_size - n, n)) {
		all = m->events.at[0].layout.trailer_bytes;
		memset(p, 0, all);
		return all;
	}
	memset(p, 0, all);
	memcpy(p, ev->raw + ev->raw_size - n, n);
	if (at[AT_TIME])
		patch_time(m, in, p + all - at[AT_TIME]);
	if (at[AT_ID])
		store_u64(p + all - at[AT_ID], new_id(in, to, ev->id), m->swap);
	if (at[AT_STREAM_ID])
		patch_stream_id(m, in, p + all - at[AT_STREAM_ID]);
	if (at[AT_IDENTIFIER])
		store_u64(p + all - at[AT_IDENTIFIER], new_id(in, to, ev->id), m->swap);
	return all;
}

/* The counts of a task that has ended, in m->room without the trailer: their size, or 0 (the ledger says why). */
static size_t place_read(struct merge *m, const struct merge_input *in, const struct evsel *from,
			 const struct merged_event *to, const struct sonde_event *ev, size_t body)
{
	const struct read_change change = { from->attr.read_format, to->attr.read_format, new_id(in, to, ev->id) };
	const uint8_t *rest = ev->raw + READ_COUNTS_AT, *end = ev->raw + body;
	uint8_t *p = m->room + READ_COUNTS_AT;
	bool group = (change.to & READ_GROUP) != 0;

	/* readers expect a single count there, and take the number of those of a group for it */
	if (group != ((change.from & READ_GROUP) != 0) || !merge_read_fits(change.from, change.to))
		return (size_t)drop(m, in, SONDE_LOSS_UNSUPPORTED, ev,
				    "{count|counts} of ending tasks, in a format that the others do not have");
	if (body < READ_COUNTS_AT || merge_read(m, in, &change, &rest, end, &p) < 0)
		return (size_t)drop(m, in, SONDE_LOSS_CORRUPT, ev,
				    "{count|counts} of ending tasks that {is not the one|are not those} that "
				    "{its|their} event says");
	memcpy(m->room, ev->raw, READ_COUNTS_AT);
	memcpy(p, rest, (size_t)(end - rest));
	return (size_t)(p - m->room) + (size_t)(end - rest);
}

static int relay_other(struct merge *m, const struct merge_input *in, const struct evsel *from,
		       const struct merged_event *to, const struct sonde_event *ev, struct sonde_bytes *out)
{
	size_t body = ev->raw_size - from->layout.trailer_bytes, n = body;
	uint8_t *p = m->room;

	if (ev->raw_size < (size_t)RECORD_HEADER_BYTES + from->layout.trailer_bytes)
		return drop(m, in, SONDE_LOSS_CORRUPT, ev, "{record|records} that {is|are} shorter than {its|their} "
							   "event says");
	if (body + (ev->type == RECORD_READ ? READ_GROWTH : 0) + sizeof(uint64_t) * NR_FIXED > RECORD_BYTES_MAX)
		return drop(m, in, SONDE_LOSS_UNSUPPORTED, ev, "{record|records} that {has|have} no room for the id "
							       "of {its|their} event");
	if (ev->type == RECORD_READ && from->attr.read_format != to->attr.read_format) {
		n = place_read(m, in, from, to, ev, body);
		if (n == 0)
			return 0;
	} else {
		memcpy(p, ev->raw, body);
		patch_body(m, in, ev->type, p, body, from->attr.read_format);
	}
	n += put_trailer(m, in, from, to, ev, p + n);
	store_u16(p + 6, (uint16_t)n, m->swap);
	*out = (struct sonde_bytes){ p, n };
	return 1;
}

/* Records of the recorder that name events. Their times are not by the clock of the samples, but for TIME_CONV. */
static void patch_user(struct merge *m, const struct merge_input *in, uint32_t type, uint8_t *p, size_t n)
{
	const struct record_type *row = record_type_find(type);
	const struct record_array *a;
	uint64_t nr;

	if (!row || n < row->min_size)
		return;
	patch_fields(m, in, row->fields, p, false);
	a = &row->array;
	nr = a->count_at ? load_u64(p + a->count_at, m->swap) : UINT64_MAX;
	for (uint64_t i = 0; a->size && i < nr && (n - a->at) / a->size > i; i++)
		patch_fields(m, in, a->fields, p + a->at + i * a->size, false);
	if (type == RECORD_TIME_CONV)
		store_u64(p + TIME_CONV_ZERO_AT, load_u64(p + TIME_CONV_ZERO_AT, m->swap) + (uint64_t)in->shift,
			  m->swap);
}

int merge_record(struct merge *m, struct merge_input *in, const struct sonde_event *ev, struct sonde_bytes *out)
{
	const struct evsel *from = (const struct evsel *)ev->evsel;
	const struct merged_event *to;

	if (in->plain) {
		*out = (struct sonde_bytes){ ev->raw, ev->raw_size };
		return 1;
	}
	if (ev->type >= RECORD_USER) {
		memcpy(m->room, ev->raw, ev->raw_size);
		patch_user(m, in, ev->type, m->room, ev->raw_size);
		*out = (struct sonde_bytes){ m->room, ev->raw_size };
		return 1;
	}
	to = &m->events.at[in->events[from->pub.index]];
	return ev->type == RECORD_SAMPLE ? relay_sample(m, in, from, to, ev, out) :
					   relay_other(m, in, from, to, ev, out);
}
