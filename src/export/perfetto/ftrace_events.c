/* SPDX-License-Identifier: MIT */
#include "export/perfetto/ftrace_events.h"

#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/protobuf.h"
#include "export/events/values.h"
#include "tracefmt/field.h"

/* Fields of FtraceEvent. */
enum { TIMESTAMP = 1, PID = 2, COMMON_FLAGS = 5, GENERIC = 327 };
/* Fields of GenericFtraceEvent and its Field. */
enum { EVENT_NAME = 1, EVENT_FIELD = 2, FIELD_NAME = 1, FIELD_TEXT = 3, FIELD_INT = 4, FIELD_UINT = 5 };

enum { TYPED_FIELDS = 8 };

/* Tracepoints with a message of their own: its number in FtraceEvent, and its fields from 1 on. */
static const struct typed_event {
	const char *name;
	uint32_t number;
	const char *fields[TYPED_FIELDS];
} typed_events[] = {
	{ "power:cpu_frequency", 11, { "state", "cpu_id" } },
	{ "power:cpu_idle", 13, { "state", "cpu_id" } },
	{ "sched:sched_wakeup", 17, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "sched:sched_waking", 20, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "irq:softirq_entry", 24, { "vec" } },
	{ "irq:softirq_exit", 25, { "vec" } },
	{ "irq:softirq_raise", 26, { "vec" } },
	{ "irq:irq_handler_entry", 36, { "irq", "name" } },
	{ "irq:irq_handler_exit", 37, { "irq", "ret" } },
	{ "sched:sched_wakeup_new", 114, { "comm", "pid", "prio", "success", "target_cpu" } },
	{ "ftrace:print", 3, { "ip", "buf" } },
};

/* Readers make the times of tasks on CPUs of it: see switches.h. */
static const struct typed_event typed_switch = {
	"sched:sched_switch", 4,
	{ "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio" }
};
enum { SWITCH_NEXT = 4 };        /* the first of typed_switch.fields that tells of the task that comes */

static const struct typed_event *typed_event_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(typed_events); i++)
		if (strcmp(typed_events[i].name, name) == 0)
			return &typed_events[i];
	return NULL;
}

/* An event that is being written. */
struct event_writer {
	const struct typed_event *typed;  /* NULL: generic */
	uint32_t nr_fields;          /* of the typed one: those that are written */
	struct buf *out;
};

static int put_typed(void *ctx, const struct event_value *v)
{
	const struct event_writer *w = ctx;

	for (uint32_t i = 0; i < w->nr_fields && w->typed->fields[i]; i++) {
		if (strcmp(w->typed->fields[i], v->name) != 0)
			continue;
		if (v->kind == EVENT_VALUE_TEXT)
			pb_text(w->out, i + 1, v->text.p, v->text.len);
		else if (v->kind <= EVENT_VALUE_ADDRESS)
			pb_u64(w->out, i + 1, v->u);
	}
	return 0;
}

/* Arrays and bytes as text. */
static void put_as_text(struct buf *out, const struct event_value *v)
{
	struct buf text = BUF_MEMORY;

	for (size_t i = 0; v->kind == EVENT_VALUE_BYTES && i < v->bytes.len; i++)
		buf_hex_zero(&text, v->bytes.p[i], 2);
	for (uint64_t i = 0; v->kind == EVENT_VALUE_ARRAY && i < v->nr; i++) {
		if (i)
			buf_char(&text, ',');
		if (v->is_signed)
			buf_i64(&text, (int64_t)event_value_element(v, i));
		else
			buf_u64(&text, event_value_element(v, i));
	}
	buf_take_failure(out, &text);
	pb_text(out, FIELD_TEXT, text.p, text.n);
	buf_free(&text);
}

static int put_generic(void *ctx, const struct event_value *v)
{
	const struct event_writer *w = ctx;
	size_t m = pb_begin(w->out, EVENT_FIELD);

	pb_str(w->out, FIELD_NAME, v->name);
	switch (v->kind) {
	case EVENT_VALUE_I64:
		pb_i64(w->out, FIELD_INT, (int64_t)v->u);
		break;
	case EVENT_VALUE_U64:
	case EVENT_VALUE_ADDRESS:
		pb_u64(w->out, FIELD_UINT, v->u);
		break;
	case EVENT_VALUE_TEXT:
		pb_text(w->out, FIELD_TEXT, v->text.p, v->text.len);
		break;
	case EVENT_VALUE_BYTES:
	case EVENT_VALUE_ARRAY:
		put_as_text(w->out, v);
		break;
	}
	pb_end(w->out, m);
	return 0;
}

static size_t begin_event(struct buf *out, uint32_t field, uint64_t time, int32_t tid)
{
	size_t m = pb_begin(out, field);

	pb_u64(out, TIMESTAMP, time);
	pb_u64(out, PID, tid >= 0 ? (uint64_t)tid : 0);
	return m;
}

static void put_flags(const struct event_row *row, struct buf *out)
{
	const struct tracefmt_event *format = row->source->format;
	const struct sonde_tracepoint_field *flags = format ? tracefmt_field(format, "common_flags") : NULL;
	uint64_t v;

	if (flags && tracefmt_u64(format, flags, row->sample.raw, &v))
		pb_u64(out, COMMON_FLAGS, v);
}

void ftrace_event_put(const struct event_row *row, uint32_t field, struct buf *out)
{
	const struct tracefmt_event *format = row->source->format;
	struct event_writer w = { format ? typed_event_of(format->full_name) : NULL, TYPED_FIELDS, out };
	const char *name = format ? format->name : row->source->name;  /* without its system, as of typed ones */
	size_t m = begin_event(out, field, row->time, row->ev->tid), body;

	put_flags(row, out);
	body = pb_begin(out, w.typed ? w.typed->number : GENERIC);
	if (!w.typed)
		pb_str(out, EVENT_NAME, name);
	event_values(row, w.typed ? put_typed : put_generic, &w);
	pb_end(out, body);
	pb_end(out, m);
}

/* A task of a switch, from the field number @first on. */
static void put_task(struct buf *out, uint32_t first, const struct switch_task *t)
{
	pb_str(out, first, t->comm);
	pb_u64(out, first + 1, (uint64_t)(int64_t)t->tid);
	pb_u64(out, first + 2, (uint64_t)(int64_t)t->prio);
}

void ftrace_switch_put(const struct event_row *row, const struct switch_task *next, uint32_t field, struct buf *out)
{
	struct event_writer w = { &typed_switch, next ? SWITCH_NEXT : TYPED_FIELDS, out };
	size_t m = begin_event(out, field, row->time, row->ev->tid), body;

	put_flags(row, out);
	body = pb_begin(out, typed_switch.number);
	event_values(row, put_typed, &w);
	if (next)
		put_task(out, SWITCH_NEXT + 1, next);
	pb_end(out, body);
	pb_end(out, m);
}

void ftrace_switch_put_between(uint64_t time, const struct switch_task *prev, uint64_t prev_state,
			       const struct switch_task *next, uint32_t field, struct buf *out)
{
	size_t m = begin_event(out, field, time, prev->tid), body = pb_begin(out, typed_switch.number);

	put_task(out, 1, prev);
	pb_u64(out, SWITCH_NEXT, prev_state);
	put_task(out, SWITCH_NEXT + 1, next);
	pb_end(out, body);
	pb_end(out, m);
}
