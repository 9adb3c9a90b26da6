/* SPDX-License-Identifier: MIT */
#include "export/csv/csv.h"

#include <linux/perf_event.h>

#include "base/safe_text.h"
#include "export/events/frame_texts.h"
#include "export/events/values.h"

struct csv_table {
	struct event_rows *e;
	struct frame_texts frames;
	struct buf fields;           /* of the row at hand, as JSON */
	struct buf first;            /* the outermost frame of the row at hand */
	VEC(uint32_t) stack;         /* frames of the row at hand, innermost first */
	bool told_clock;
};

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)s[i] < ' ' || (uint8_t)s[i] >= 0x7f || s[i] == '"' || s[i] == ',')
			return false;
	return true;
}

/* A value and the comma after it. */
static void put_text(struct buf *out, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (is_plain(s, len) && !(len && csv_needs_apostrophe(s[0]))) {
		buf_put(out, s, len);
	} else {
		buf_str(out, csv_needs_apostrophe(s[0]) ? "\"'" : "\"");
		buf_csv(out, s, len);
		buf_char(out, '"');
	}
	buf_char(out, ',');
}

static void put_number(struct buf *out, int32_t v)
{
	if (v >= 0)
		buf_u64(out, (uint64_t)v);
	buf_char(out, ',');
}

/* A semicolon would begin another frame. */
static void put_frame(const struct place_frame *f, struct buf *out)
{
	const char *name = f->symbol ? f->symbol : "[unknown]", *end;

	for (; (end = strchr(name, ';')); name = end + 1) {
		buf_csv(out, name, (size_t)(end - name));
		buf_char(out, ':');
	}
	buf_csv(out, name, strlen(name));
}

/* The text of the cell begins with this frame. */
static void put_outermost(struct csv_table *t, uint32_t frame, struct buf *out)
{
	t->first.n = 0;
	frame_texts_put(&t->frames, t->e, frame, &t->first);
	buf_str(out, t->first.n && csv_needs_apostrophe(t->first.p[0]) ? "\"'" : "\"");
	buf_put(out, t->first.p, t->first.n);
	buf_take_failure(out, &t->first);
}

/* Root first, as folded stacks. 0 or -SONDE_NOMEM. */
static int put_stack(struct csv_table *t, uint32_t stack, struct buf *out)
{
	const struct sonde_profile_stack *list = t->e->stacks.list.at;

	t->stack.n = 0;
	for (; stack; stack = list[stack].parent)
		if (vec_push(&t->stack, list[stack].frame) < 0)
			return err_nomem(t->e->err);
	for (size_t i = t->stack.n; i-- > 0;) {
		if (i + 1 < t->stack.n) {
			buf_char(out, ';');
			frame_texts_put(&t->frames, t->e, t->stack.at[i], out);
		} else {
			put_outermost(t, t->stack.at[i], out);
		}
	}
	if (t->stack.n)
		buf_char(out, '"');
	buf_char(out, ',');
	return 0;
}

static void put_sample(struct csv_table *t, const struct event_row *row, struct buf *out)
{
	const struct place_frame *f = event_rows_function(t->e, row);

	if (row->sample.present & PERF_SAMPLE_IP) {
		buf_put(out, "0x", 2);
		buf_hex(out, row->sample.ip);
	}
	buf_char(out, ',');
	put_text(out, f ? f->symbol : NULL);
	put_text(out, f ? f->module : NULL);
	if (!row->source->is_tracepoint || row->sample.present & PERF_SAMPLE_PERIOD)
		buf_u64(out, row->ev->period);
	buf_char(out, ',');
}

/* Puts the content of `fields`. */
static void put_fields(struct csv_table *t, struct buf *out)
{
	buf_take_failure(out, &t->fields);
	buf_char(out, '"');
	buf_csv(out, t->fields.p, t->fields.n);
	buf_char(out, '"');
}

/* Of several traces, the last value is the number of the trace. */
static void end_row(const struct csv_table *t, size_t input, struct buf *out)
{
	if (t->e->nr_inputs > 1) {
		buf_char(out, ',');
		buf_u64(out, input);
	}
	buf_char(out, '\n');
}

static int put_row(struct csv_table *t, const struct event_row *row, struct buf *out)
{
	if (row->time != SONDE_NONE)
		buf_i64(out, event_rows_since(t->e, row->time));
	buf_char(out, ',');
	put_number(out, row->ev->cpu);
	put_number(out, row->ev->pid);
	put_number(out, row->ev->tid);
	put_text(out, row->comm);
	put_text(out, row->source ? row->source->name : NULL);
	put_text(out, row->kind);
	if (row->is_sample)
		put_sample(t, row, out);
	else
		buf_str(out, ",,,,");
	if (put_stack(t, row->stack, out) < 0)
		return -SONDE_NOMEM;
	if (event_has_values(row)) {
		t->fields.n = 0;
		event_values_json(row, &t->fields);
		put_fields(t, out);
	}
	end_row(t, row->input, out);
	return 0;
}

/* A row about a trace: its kind, and the members of JSON that are in `fields`. */
static void put_about(struct csv_table *t, const char *kind, size_t input)
{
	struct buf *out = t->e->out;

	buf_char(&t->fields, '}');
	buf_printf(out, ",,,,,,%s,,,,,,", kind);
	put_fields(t, out);
	end_row(t, input, out);
}

static struct buf *begin_about(struct csv_table *t)
{
	t->fields.n = 0;
	buf_char(&t->fields, '{');
	return &t->fields;
}

static void put_header(struct csv_table *t)
{
	bool several = t->e->nr_inputs > 1;

	buf_printf(t->e->out, "t,cpu,pid,tid,comm,event,kind,ip,symbol,module,period,stack,fields%s\n",
		   several ? ",input" : "");
	for (size_t i = 0; i < t->e->nr_inputs && several; i++) {
		event_rows_input_json(t->e, i, begin_about(t));
		put_about(t, "input", i);
	}
}

int export_csv(struct event_rows *e)
{
	struct csv_table t = { .e = e, .frames = FRAME_TEXTS(put_frame), .fields = BUF_MEMORY,
			   .first = BUF_MEMORY };
	const struct event_row *row;
	int r;

	put_header(&t);
	while ((r = event_rows_next(e, &row)) > 0 && !e->out->failed) {
		if (!t.told_clock && e->start != SONDE_NONE) {
			event_rows_clock_json(e, begin_about(&t));
			put_about(&t, "clock", 0);
			t.told_clock = true;
		}
		r = put_row(&t, row, e->out);
		if (r < 0)
			break;
	}
	if (r >= 0) {
		event_rows_sums_json(e, begin_about(&t));
		put_about(&t, "end", 0);
	}
	frame_texts_free(&t.frames);
	buf_free(&t.fields);
	buf_free(&t.first);
	vec_free(&t.stack);
	return r;
}
