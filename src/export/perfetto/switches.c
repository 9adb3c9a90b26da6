/* SPDX-License-Identifier: MIT */
#include "export/perfetto/switches.h"

#include "export/perfetto/ftrace_events.h"

enum { STATE_RUNNING = 0, STATE_SLEEPING = 1, IDLE_PRIO = 120 };

static const struct switch_task idle = { "swapper", 0, IDLE_PRIO };

/* Writes the switch that is held back. The struct may have moved since: its row gets its pointers here. */
static void put_held(struct cpu_switch *s, const struct switch_task *next, uint32_t field, struct buf *out)
{
	s->row.ev = &s->ev;
	s->row.sample.raw.p = s->raw.at;
	ftrace_switch_put(&s->row, next, field, out);
	s->held = false;
}

void cpu_switch_finish(struct cpu_switch *s, uint32_t field, struct buf *out)
{
	if (s->held)
		put_held(s, s->next == 0 ? NULL : &idle, field, out);
}

int cpu_switch_take(struct cpu_switch *s, const struct event_row *row, int32_t next, uint32_t field, struct buf *out)
{
	const struct sonde_bytes raw = row->sample.raw;

	cpu_switch_finish(s, field, out);
	if (vec_reserve(&s->raw, raw.len) < 0)
		return -SONDE_NOMEM;
	memcpy(s->raw.at, raw.p, raw.len);
	s->ev = *row->ev;
	s->row = *row;
	s->next = next;
	s->held = true;
	return 0;
}

void cpu_switch_begin_run(struct cpu_switch *s, const struct thread_run *run, uint32_t field, struct buf *out)
{
	const struct switch_task task = { run->comm, run->tid, run->prio };

	if (s->held && s->next == run->tid && s->row.time == run->begin) {
		put_held(s, NULL, field, out);
		return;
	}
	cpu_switch_finish(s, field, out);
	ftrace_switch_put_between(run->begin, &idle, STATE_RUNNING, &task, field, out);
}

void cpu_switch_end_run(const struct thread_run *run, uint32_t field, struct buf *out)
{
	const struct switch_task task = { run->comm, run->tid, run->prio };

	ftrace_switch_put_between(run->end, &task, *run->end_state == 'R' ? STATE_RUNNING : STATE_SLEEPING, &idle,
				  field, out);
}

void cpu_switch_free(struct cpu_switch *s)
{
	vec_free(&s->raw);
}
