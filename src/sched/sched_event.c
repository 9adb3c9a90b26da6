/* SPDX-License-Identifier: MIT */
#include "sched/sched_event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tracefmt/field.h"

/* Places in sched_source.fields. */
enum { PREV_PID, PREV_COMM, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_COMM, NEXT_PRIO };
enum { TASK_PID, TASK_COMM, TASK_PRIO, TASK_ORIG_CPU, TASK_DEST_CPU };

/* The first field is the one without which the event tells nothing. */
static const struct tracepoint_row {
	const char *event;
	enum sched_event_kind kind;
	const char *fields[SCHED_FIELDS_MOST];
} rows[] = {
	{ "sched:sched_switch", SCHED_SWITCH,
	  { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm", "next_prio" } },
	{ "sched:sched_waking", SCHED_WAKING, { "pid", "comm", "prio" } },
	{ "sched:sched_wakeup", SCHED_WAKEUP, { "pid", "comm", "prio" } },
	{ "sched:sched_wakeup_new", SCHED_NEW, { "pid", "comm", "prio" } },
	{ "sched:sched_migrate_task", SCHED_MIGRATE, { "pid", "comm", "prio", "orig_cpu", "dest_cpu" } },
	{ "sched:sched_pi_setprio", SCHED_PRIORITY, { "pid", "comm", "newprio" } },
	{ "sched:sched_process_exit", SCHED_DYING, { "pid", "comm", "prio" } },
};

/* Whether each event has a sample. */
static bool has_each(const struct sonde_evsel *evsel)
{
	return !evsel->attr || (!(evsel->attr->flags & SONDE_ATTR_FREQ) && evsel->attr->sample_period <= 1);
}

static const struct tracepoint_row *row_of(const struct sonde_evsel *evsel, const struct tracefmt_event *format)
{
	if (!format || strcmp(format->system, "sched") != 0 || !has_each(evsel))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(format->full_name, rows[i].event) == 0)
			return &rows[i];
	return NULL;
}

bool sched_expects(const struct sonde_evsel *evsel, const struct tracefmt_event *format)
{
	return row_of(evsel, format) != NULL;
}

static void find_fields(struct sched_decoder *d, struct sched_source *s, const struct sonde_evsel *evsel,
			const struct tracefmt_event *format)
{
	const struct tracepoint_row *row = row_of(evsel, format);

	*s = (struct sched_source){ .known = true, .kind = SCHED_RUNS, .format = format };
	if (!row)
		return;
	for (size_t i = 0; i < SCHED_FIELDS_MOST && row->fields[i]; i++)
		s->fields[i] = tracefmt_field(format, row->fields[i]);
	if (!s->fields[0] || (row->kind == SCHED_SWITCH && !s->fields[NEXT_PID]))
		return;
	s->kind = row->kind;
	if (row->kind == SCHED_SWITCH && !d->switches) {
		d->switches = evsel->index + 1;
		prev_state_letters(format, &d->letters);
	} else if (row->kind == SCHED_SWITCH) {
		s->kind = SCHED_NOTHING;
	}
}

static uint64_t number(const struct sched_source *s, size_t field, struct sonde_bytes raw)
{
	uint64_t v = 0;

	if (s->fields[field])
		tracefmt_u64(s->format, s->fields[field], raw, &v);
	return v;
}

static struct sonde_str text(const struct sched_source *s, size_t field, struct sonde_bytes raw)
{
	struct sonde_str str = { "", 0 };

	if (s->fields[field])
		tracefmt_string(s->format, s->fields[field], raw, &str);
	return str;
}

static void take_switch(const struct sched_decoder *d, const struct sched_source *s, struct sonde_bytes raw,
			struct sched_event *out)
{
	out->prev = (int32_t)number(s, PREV_PID, raw);
	out->prev_comm = text(s, PREV_COMM, raw);
	out->prev_prio = (int32_t)number(s, PREV_PRIO, raw);
	out->prev_state = number(s, PREV_STATE, raw);
	out->next = (int32_t)number(s, NEXT_PID, raw);
	out->next_comm = text(s, NEXT_COMM, raw);
	out->next_prio = (int32_t)number(s, NEXT_PRIO, raw);
	out->letters = &d->letters;
}

static void take_task(const struct sched_source *s, struct sonde_bytes raw, struct sched_event *out)
{
	out->task = (int32_t)number(s, TASK_PID, raw);
	out->comm = text(s, TASK_COMM, raw);
	out->prio = (int32_t)number(s, TASK_PRIO, raw);
	if (out->kind == SCHED_MIGRATE) {
		out->orig_cpu = (int32_t)number(s, TASK_ORIG_CPU, raw);
		out->dest_cpu = (int32_t)number(s, TASK_DEST_CPU, raw);
	}
}

static int take_sample(struct sched_decoder *d, const struct sonde_event *ev, const struct tracefmt_event *format,
		       struct sonde_bytes raw, struct sched_event *out)
{
	struct sched_source *s;

	out->kind = SCHED_RUNS;
	if (!ev->evsel || !format || !raw.len)  /* without its bytes, a tracepoint tells who runs, as every sample */
		return 0;
	while (d->sources.n <= ev->evsel->index)
		if (vec_push(&d->sources, (struct sched_source){ 0 }) < 0)
			return -SONDE_NOMEM;
	s = &d->sources.at[ev->evsel->index];
	if (!s->known)
		find_fields(d, s, ev->evsel, format);
	out->kind = s->kind;
	out->some = ev->evsel->attr && ev->evsel->attr->flags & SONDE_ATTR_INHERIT;
	if (s->kind == SCHED_SWITCH)
		take_switch(d, s, raw, out);
	else if (s->kind != SCHED_RUNS && s->kind != SCHED_NOTHING)
		take_task(s, raw, out);
	return 0;
}

/* FORK is no event of the new task: it says nothing of when that was put on a run queue. */
static void take_record(const struct sonde_event *ev, struct sched_event *out)
{
	struct sonde_lost lost;

	switch (ev->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		out->kind = ev->misc & PERF_RECORD_MISC_SWITCH_OUT ? SCHED_SWITCH_OUT : SCHED_SWITCH_IN;
		out->preempted = ev->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		out->some = ev->type == PERF_RECORD_SWITCH;
		break;
	case PERF_RECORD_EXIT:
		out->kind = SCHED_DYING;
		out->task = ev->tid;
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		/* perf writes LOST_SAMPLES as it ends, without a time: they count, but say nothing of when */
		if (event_lost(ev, &lost) == 0 && lost.lost && (ev->type == PERF_RECORD_LOST || ev->time))
			out->kind = SCHED_LOSS;
		break;
	}
}

int sched_decode(struct sched_decoder *d, const struct sonde_event *ev, const struct tracefmt_event *format,
		 struct sonde_bytes raw, struct sched_event *out)
{
	*out = (struct sched_event){ .time = ev->time, .cpu = ev->cpu, .pid = ev->pid, .tid = ev->tid };
	if (ev->time == SONDE_NONE || ev->machine_pid)
		return 0;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return take_sample(d, ev, format, raw, out);
	take_record(ev, out);
	return 0;
}

void sched_decoder_free(struct sched_decoder *d)
{
	vec_free(&d->sources);
}
