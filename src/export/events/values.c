/* SPDX-License-Identifier: MIT */
#include "export/events/values.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "tracefmt/field.h"

#define LARGEST_EXACT (UINT64_C(1) << 53)   /* all integers up to here are doubles, too */

/* An array of unsigned long is a mask only if its length is not fixed. */
bool event_field_is_array(const struct sonde_tracepoint_field *f)
{
	if (f->flags & SONDE_TRACEPOINT_BITMASK && f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC))
		return false;
	return f->flags & SONDE_TRACEPOINT_ARRAY && !(f->flags & SONDE_TRACEPOINT_STRING) &&
	       (f->elem_size == 2 || f->elem_size == 4 || f->elem_size == 8);
}

/* A large unsigned long is mostly an address, a small one is easier to read as a number. */
static bool is_address(const struct sonde_tracepoint_field *f, uint64_t u)
{
	if (f->flags & SONDE_TRACEPOINT_POINTER || strncmp(f->name, "__probe_", 8) == 0)
		return true;
	return f->flags & SONDE_TRACEPOINT_LONG && !(f->flags & SONDE_TRACEPOINT_SIGNED) && u > LARGEST_EXACT;
}

/* False for a field that is not whole. */
static bool read_field(const struct event_row *row, const struct sonde_tracepoint_field *f, struct event_value *v)
{
	const struct tracefmt_event *format = row->source->format;
	struct sonde_bytes raw = row->sample.raw;

	*v = (struct event_value){ .name = f->name, .row = row, .field = f };
	if (!(f->flags & SONDE_TRACEPOINT_ARRAY) && tracefmt_u64(format, f, raw, &v->u)) {
		v->kind = is_address(f, v->u) ? EVENT_VALUE_ADDRESS :
			  f->flags & SONDE_TRACEPOINT_SIGNED ? EVENT_VALUE_I64 : EVENT_VALUE_U64;
		return true;
	}
	if (f->flags & SONDE_TRACEPOINT_STRING) {
		v->kind = EVENT_VALUE_TEXT;
		return tracefmt_string(format, f, raw, &v->text);
	}
	v->kind = event_field_is_array(f) ? EVENT_VALUE_ARRAY : EVENT_VALUE_BYTES;
	if (!tracefmt_bytes(format, f, raw, &v->bytes))
		return false;
	if (v->kind == EVENT_VALUE_ARRAY) {
		v->nr = v->bytes.len / f->elem_size;
		v->is_signed = f->flags & SONDE_TRACEPOINT_SIGNED;
	}
	return true;
}

uint64_t event_value_element(const struct event_value *v, uint64_t i)
{
	uint64_t u = 0;

	tracefmt_element(v->row->source->format, v->field, v->row->sample.raw, i, &u);
	return u;
}

static int tracepoint_values(const struct event_row *row, event_value_fn fn, void *ctx)
{
	const struct tracefmt_event *format = row->source->format;
	struct event_value v;
	int r = 0;

	for (size_t i = 0; i < format->nr_fields && r == 0; i++)
		if (!(format->fields[i].flags & SONDE_TRACEPOINT_COMMON) && read_field(row, &format->fields[i], &v))
			r = fn(ctx, &v);
	return r;
}

/* ---- records ---- */

struct value_taker {
	event_value_fn fn;
	void *ctx;
};

static int take_field(void *ctx, const struct sonde_field *f)
{
	const struct value_taker *t = ctx;
	struct event_value v = { .name = f->name, .u = f->u, .text = f->text, .bytes = f->bytes };
	char name[64], number[32];

	if (f->index != SONDE_NONE) {    /* of an element of an array: names differ */
		snprintf(name, sizeof(name), "%s.%" PRIu64, f->name, f->index);
		v.name = name;
	}
	switch (f->kind) {
	case SONDE_FIELD_U64:
	case SONDE_FIELD_TIME:
		v.kind = EVENT_VALUE_U64;
		break;
	case SONDE_FIELD_I64:
		v.kind = EVENT_VALUE_I64;
		break;
	case SONDE_FIELD_HEX:
		v.kind = EVENT_VALUE_ADDRESS;
		break;
	case SONDE_FIELD_DOUBLE:
		v.kind = EVENT_VALUE_TEXT;
		v.text.p = number;
		v.text.len = (size_t)snprintf(number, sizeof(number), "%.17g", f->d);
		break;
	case SONDE_FIELD_NAMED:
	case SONDE_FIELD_TEXT:
		v.kind = EVENT_VALUE_TEXT;
		break;
	case SONDE_FIELD_BYTES:
		v.kind = EVENT_VALUE_BYTES;
		break;
	}
	return t->fn(t->ctx, &v);
}

/* The counts of a sample, by the names of their events. */
static int counts(const struct event_row *row, event_value_fn fn, void *ctx)
{
	const struct read_counts *read = &row->sample.read;
	const struct reader *reader = event_of(row->ev)->reader;
	int r = 0;

	for (uint64_t i = 0; i < read->nr && r == 0; i++) {
		struct sonde_read_value count = read_value_at(read, i);
		uint64_t id = count.id == SONDE_NONE ? row->ev->id : count.id;
		uint32_t evsel = u64map_get(row->evsel_of_id, id);
		struct event_value v = { .kind = EVENT_VALUE_U64, .u = count.value, .count_id = id };

		v.evsel = evsel == U64MAP_NONE ? NULL : reader->evsels.at[evsel];
		v.name = v.evsel ? v.evsel->name : row->source->name;
		if (evsel != U64MAP_NONE || read->nr == 1)
			r = fn(ctx, &v);
	}
	return r;
}

int event_values(const struct event_row *row, event_value_fn fn, void *ctx)
{
	struct value_taker t = { fn, ctx };
	struct event_value raw = { .name = "raw", .kind = EVENT_VALUE_BYTES, .bytes = row->sample.raw };
	int r;

	if (row->is_sample) {
		r = row->source->format && row->sample.raw.len ? tracepoint_values(row, fn, ctx) :
		    raw.bytes.len ? fn(ctx, &raw) : 0;
		return r == 0 && row->evsel_of_id ? counts(row, fn, ctx) : r;
	}
	r = event_fields(row->ev, take_field, &t);
	return r == -SONDE_CORRUPT ? 0 : r;   /* its whole fields were given */
}

/* ---- as JSON ---- */

static void put_number(struct json *j, uint64_t u, bool is_signed)
{
	char text[24];

	if ((is_signed && (int64_t)u < 0 ? -u : u) <= LARGEST_EXACT) {
		if (is_signed)
			json_i64(j, (int64_t)u);
		else
			json_u64(j, u);
		return;
	}
	snprintf(text, sizeof(text), is_signed ? "%" PRId64 : "%" PRIu64, u);
	json_text(j, text);
}

static void put_element(struct json *j, const struct event_value *v, uint64_t i)
{
	uint64_t u = event_value_element(v, i);

	if (is_address(v->field, u))
		json_hex(j, u);
	else
		put_number(j, u, v->is_signed);
}

static int put_value(void *ctx, const struct event_value *v)
{
	struct json *j = ctx;

	json_key_text(j, v->name);
	switch (v->kind) {
	case EVENT_VALUE_U64:
	case EVENT_VALUE_I64:
		put_number(j, v->u, v->kind == EVENT_VALUE_I64);
		break;
	case EVENT_VALUE_ADDRESS:
		json_hex(j, v->u);
		break;
	case EVENT_VALUE_TEXT:
		json_text_n(j, v->text.p, v->text.len);
		break;
	case EVENT_VALUE_BYTES:
		json_bytes(j, v->bytes.p, v->bytes.len);
		break;
	case EVENT_VALUE_ARRAY:
		json_array(j);
		for (uint64_t i = 0; i < v->nr; i++)
			put_element(j, v, i);
		json_end(j);
		break;
	}
	return 0;
}

void event_values_json(const struct event_row *row, struct buf *out)
{
	struct json j = json_new(out);

	json_object(&j);
	event_values(row, put_value, &j);
	json_end(&j);
}
