/* SPDX-License-Identifier: MIT */
#include "sched/sched_event.h"

#include <linux/perf_event.h>

#include "base/bytes.h"

/* Places in sched_source.fields. */
enum { PREV_PID, PREV_COMM, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_COMM, NEXT_PRIO };
enum { TASK_PID, TASK_COMM, TASK_PRIO, TASK_ORIG_CPU, TASK_DEST_CPU };

static const struct tracepoint_handler rows[] = {
	{ "sched:sched_switch",
	  { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm", "next_prio" }, SCHED_SWITCH },
	{ "sched:sched_waking", { "pid", "comm", "prio" }, SCHED_WAKING },
	{ "sched:sched_wakeup", { "pid", "comm", "prio" }, SCHED_WAKEUP },
	{ "sched:sched_wakeup_new", { "pid", "comm", "prio" }, SCHED_NEW },
	{ "sched:sched_migrate_task", { "pid", "comm", "prio", "orig_cpu", "dest_cpu" }, SCHED_MIGRATE },
	{ "sched:sched_pi_setprio", { "pid", "comm", "newprio" }, SCHED_PRIORITY },
	{ "sched:sched_process_exit", { "pid", "comm", "prio" }, SCHED_DYING },
	{ 0 },
};

bool sched_expects(const struct sonde_evsel *evsel, const struct tracefmt_event *format)
{
	return handler_of(rows, evsel, format) != NULL;
}

/* Events of a source tell this; found out with the first one. */
static enum sched_event_kind kind_of(struct sched_decoder *d, const struct handled_source *s, uint32_t index)
{
	if (!s->handler || (s->handler->kind == SCHED_SWITCH && !s->fields[NEXT_PID]))
		return SCHED_RUNS;
	if (s->handler->kind == SCHED_SWITCH && !d->switches) {
		d->switches = index + 1;
		prev_state_letters(s->format, &d->letters);
	}
	return s->handler->kind != SCHED_SWITCH || d->switches == index + 1 ? (enum sched_event_kind)s->handler->kind :
									      SCHED_NOTHING;
}

static void take_switch(const struct sched_decoder *d, const struct handled_event *e, struct sched_event *out)
{
	out->prev = (int32_t)handled_number(e, PREV_PID);
	out->prev_comm = handled_text(e, PREV_COMM);
	out->prev_prio = (int32_t)handled_number(e, PREV_PRIO);
	out->prev_state = handled_number(e, PREV_STATE);
	out->next = (int32_t)handled_number(e, NEXT_PID);
	out->next_comm = handled_text(e, NEXT_COMM);
	out->next_prio = (int32_t)handled_number(e, NEXT_PRIO);
	out->letters = &d->letters;
}

static void take_task(const struct handled_event *e, struct sched_event *out)
{
	out->task = (int32_t)handled_number(e, TASK_PID);
	out->comm = handled_text(e, TASK_COMM);
	out->prio = (int32_t)handled_number(e, TASK_PRIO);
	if (out->kind == SCHED_MIGRATE) {
		out->orig_cpu = (int32_t)handled_number(e, TASK_ORIG_CPU);
		out->dest_cpu = (int32_t)handled_number(e, TASK_DEST_CPU);
	}
}

static int take_sample(struct sched_decoder *d, const struct sonde_event *ev, const struct tracefmt_event *format,
		       struct sonde_bytes raw, struct sched_event *out)
{
	struct handled_event e = { .raw = raw };

	out->kind = SCHED_RUNS;
	if (!ev->evsel || !format || !raw.len)  /* without its bytes, a tracepoint tells who runs, as every sample */
		return 0;
	d->handlers.rows = rows;
	e.source = handlers_source(&d->handlers, ev->evsel, format);
	if (!e.source)
		return -SONDE_NOMEM;
	out->kind = kind_of(d, e.source, ev->evsel->index);
	out->some = ev->evsel->attr && ev->evsel->attr->flags & SONDE_ATTR_INHERIT;
	if (out->kind == SCHED_SWITCH)
		take_switch(d, &e, out);
	else if (out->kind != SCHED_RUNS && out->kind != SCHED_NOTHING)
		take_task(&e, out);
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
	handlers_free(&d->handlers);
}
