/* SPDX-License-Identifier: MIT */
#include "export/events/switches.h"

#include <string.h>

#include "base/bytes.h"
#include "tracefmt/field.h"

enum { CPUS_MOST = 1 << 16 };

static void find_fields(struct switches *s, const struct tracefmt_event *format)
{
	s->format = format;
	s->prev_pid = tracefmt_field(format, "prev_pid");
	s->next_pid = tracefmt_field(format, "next_pid");
	s->prev_comm = tracefmt_field(format, "prev_comm");
	s->next_comm = tracefmt_field(format, "next_comm");
	s->prev_state = tracefmt_field(format, "prev_state");
	s->prev_prio = tracefmt_field(format, "prev_prio");
	s->next_prio = tracefmt_field(format, "next_prio");
}

static uint64_t number(const struct switches *s, const struct event_row *row, const struct sonde_tracepoint_field *f)
{
	uint64_t v = 0;

	if (f)
		tracefmt_u64(s->format, f, row->sample.raw, &v);
	return v;
}

static struct sonde_str name(const struct switches *s, const struct event_row *row,
			     const struct sonde_tracepoint_field *f)
{
	struct sonde_str text = { "", 0 };

	if (f)
		tracefmt_string(s->format, f, row->sample.raw, &text);
	return text;
}

int switches_take(struct switches *s, const struct event_row *row, struct thread_switch *out)
{
	const struct tracefmt_event *format = row->is_sample ? row->source->format : NULL;
	size_t cpu = (size_t)row->ev->cpu;
	struct switched_cpus *cpus;

	if (!format || row->ev->cpu < 0 || cpu >= CPUS_MOST || row->time == SONDE_NONE ||
	    (format != s->format && strcmp(format->full_name, "sched:sched_switch") != 0))
		return 0;
	if (format != s->format)
		find_fields(s, format);
	if (!s->prev_pid || !s->next_pid)
		return 0;
	while (s->machines.n <= row->space)
		if (vec_push(&s->machines, ((struct switched_cpus){ 0 })) < 0)
			return -SONDE_NOMEM;
	cpus = &s->machines.at[row->space];
	if (cpus->known && cpus->input != row->input)
		return 0;
	cpus->known = true;
	cpus->input = row->input;
	while (cpus->begun.n <= cpu)
		if (vec_push(&cpus->begun, 0) < 0)
			return -SONDE_NOMEM;
	*out = (struct thread_switch){ .cpu = row->ev->cpu,
				       .time = row->time,
				       .prev_pid = (int32_t)number(s, row, s->prev_pid),
				       .next_pid = (int32_t)number(s, row, s->next_pid),
				       .prev_comm = name(s, row, s->prev_comm),
				       .next_comm = name(s, row, s->next_comm),
				       .prev_state = (int64_t)number(s, row, s->prev_state),
				       .prev_prio = (int32_t)number(s, row, s->prev_prio),
				       .next_prio = (int32_t)number(s, row, s->next_prio),
				       .begun = cpus->begun.at[cpu] ? cpus->begun.at[cpu] : SONDE_NONE };
	cpus->begun.at[cpu] = row->time;
	return 1;
}

const char *switch_state(int64_t state)
{
	static const char *const letters[] = { "S", "D", "T", "t", "X", "Z", "P", "I" };

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (state & (int64_t)1 << i)
			return letters[i];
	return state ? "R+" : "R";   /* of a higher bit: it was pre-empted */
}

void switches_free(struct switches *s)
{
	for (size_t i = 0; i < s->machines.n; i++)
		vec_free(&s->machines.at[i].begun);
	vec_free(&s->machines);
}
