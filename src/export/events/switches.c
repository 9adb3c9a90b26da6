/* SPDX-License-Identifier: MIT */
#include "export/events/switches.h"

#include <string.h>

#include "base/bytes.h"
#include "tracefmt/field.h"

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

/* Whether the input of a row tells the switches of its machine: the first one that has any. -SONDE_NOMEM */
static int is_told_by(struct switches *s, const struct event_row *row)
{
	struct switched_machine *machine;

	while (s->machines.n <= row->space)
		if (vec_push(&s->machines, ((struct switched_machine){ 0 })) < 0)
			return -SONDE_NOMEM;
	machine = &s->machines.at[row->space];
	if (!machine->known)
		*machine = (struct switched_machine){ true, row->input };
	return machine->input == row->input;
}

/* The place of the CPU of a row in `begun`; U64MAP_NONE when out of memory. */
static uint32_t place_of(struct switches *s, const struct event_row *row)
{
	uint64_t key = (uint64_t)row->space << 32 | (uint32_t)row->ev->cpu;
	uint32_t at = u64map_get(&s->cpus, key);

	if (at != U64MAP_NONE)
		return at;
	at = (uint32_t)s->begun.n;
	return vec_push(&s->begun, 0) < 0 || u64map_set(&s->cpus, key, at) < 0 ? U64MAP_NONE : at;
}

int switches_take(struct switches *s, const struct event_row *row, struct thread_switch *out)
{
	const struct tracefmt_event *format = row->is_sample ? row->source->format : NULL;
	uint32_t at;
	int r;

	if (!format || row->ev->cpu < 0 || row->time == SONDE_NONE ||
	    (format != s->format && strcmp(format->full_name, "sched:sched_switch") != 0))
		return 0;
	if (format != s->format)
		find_fields(s, format);
	if (!s->prev_pid || !s->next_pid)
		return 0;
	r = is_told_by(s, row);
	if (r <= 0)
		return r;
	at = place_of(s, row);
	if (at == U64MAP_NONE)
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
				       .begun = s->begun.at[at] ? s->begun.at[at] : SONDE_NONE };
	s->begun.at[at] = row->time;
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
	vec_free(&s->machines);
	vec_free(&s->begun);
	u64map_free(&s->cpus);
}
