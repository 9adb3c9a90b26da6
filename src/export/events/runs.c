/* SPDX-License-Identifier: MIT */
#include "export/events/runs.h"

/* 0 or -SONDE_NOMEM. */
static int make_room(struct runs *r, const struct event_rows *e, const struct event_row *row)
{
	while (r->decoders.n < e->nr_inputs)
		if (vec_push(&r->decoders, (struct sched_decoder){ 0 }) < 0)
			return -SONDE_NOMEM;
	while (r->machines.n <= row->space)
		if (vec_push(&r->machines, (struct run_machine){ 0 }) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static bool is_switch(enum sched_event_kind kind)
{
	return kind == SCHED_SWITCH || kind == SCHED_SWITCH_IN || kind == SCHED_SWITCH_OUT;
}

static bool find_run(const struct sched_states *s, const struct sched_step *step, struct thread_run *out)
{
	for (uint32_t i = 0; i < step->nr; i++) {
		const struct sched_change *c = &step->changes[i];
		const struct sched_task *t = &s->tasks.at[c->task];

		if (c->from != SCHED_RUNNING || c->to == SCHED_UNKNOWN)
			continue;
		*out = (struct thread_run){ .tid = t->tid, .cpu = c->cpu, .comm = sched_task_comm(s, t),
					    .begin = c->since, .end = c->time, .exact = c->end == SCHED_WHOLE,
					    .end_state = t->letter, .prio = t->prio };
		return true;
	}
	return false;
}

int runs_take(struct runs *r, const struct event_rows *e, const struct event_row *row, struct thread_run *out)
{
	const struct tracefmt_event *format = row->is_sample && row->source ? row->source->format : NULL;
	const struct row_input *input = &e->inputs[row->input];
	const struct sonde_bytes raw = row->is_sample ? row->sample.raw : (struct sonde_bytes){ 0 };
	struct sched_event *se = &r->told;
	struct run_machine *m;
	struct sched_step step;

	if (make_room(r, e, row) < 0)
		return -SONDE_NOMEM;
	m = &r->machines.at[row->space];
	if (!m->told && row->is_sample && !format) {     /* it is not the first switch, and none was before */
		se->kind = SCHED_NOTHING;
		return 0;
	}
	if (sched_decode(&r->decoders.at[row->input], row->ev, format, raw, se) < 0)
		return -SONDE_NOMEM;
	if (!m->told && is_switch(se->kind)) {
		m->told = true;
		m->input = row->input;
		m->states.scope = &input->scope;
	}
	if (!m->told || m->input != row->input)
		se->kind = SCHED_NOTHING;
	if (se->kind == SCHED_NOTHING)
		return 0;
	se->time = row->time;
	if (sched_states_take(&m->states, se, &step) < 0)
		return -SONDE_NOMEM;
	return find_run(&m->states, &step, out);
}

void runs_free(struct runs *r)
{
	for (size_t i = 0; i < r->machines.n; i++)
		sched_states_free(&r->machines.at[i].states);
	for (size_t i = 0; i < r->decoders.n; i++)
		sched_decoder_free(&r->decoders.at[i]);
	vec_free(&r->machines);
	vec_free(&r->decoders);
}
