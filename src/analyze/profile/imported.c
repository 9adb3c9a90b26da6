/* SPDX-License-Identifier: MIT */
#include "analyze/profile/imported.h"

#include <linux/perf_event.h>

#include "analyze/profile/cells.h"
#include "analyze/profile/profile_tasks.h"

/* Other programs keep stacks. An event without an attr would be a tracepoint. */
static const struct sonde_attr clock_attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					      .sample_type = PERF_SAMPLE_CALLCHAIN };
static const struct sonde_attr other_attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
					      .sample_type = PERF_SAMPLE_CALLCHAIN };

int imported_begin(struct gathering *p, bool chains)
{
	p->trace.host = 0;
	moment_changed(&p->moment);
	if (chains && p->wants.callchains_if_any && !p->kept.branches && !p->kept.callchains) {
		p->kept.callchains = true;
		p->frames.inlined = p->wants.inlined;
	}
	return profile_end_span(p);
}

uint32_t imported_event(struct gathering *p, struct sonde_str name, bool is_ns)
{
	uint32_t number = strpool_add(&p->names, name.p, name.len), i = (uint32_t)p->events.n;
	struct sonde_profile_event event = { .attr = is_ns ? &clock_attr : &other_attr, .leader = i };
	uint64_t key = (uint64_t)number << 32;

	if (number == UINT32_MAX)
		return UINT32_MAX;
	if (u64map_get(&p->event_of_name, key) != U64MAP_NONE)
		return u64map_get(&p->event_of_name, key);
	event.name = strpool_get(&p->names, number);
	return vec_push(&p->events, event) < 0 || u64map_set(&p->event_of_name, key, i) < 0 ? UINT32_MAX : i;
}

static const struct frame *frame_at(const struct gathering *p, uint32_t number)
{
	return &p->frames.list.at[number];
}

/* Whether a frame is kept in stacks. */
static bool is_kept(const struct gathering *p, uint32_t frame)
{
	return p->kept.callchains && (p->frames.inlined || !frame_at(p, frame)->inlined) &&
	       (!p->wants.named_only || frame_symbol(frame_at(p, frame)));
}

int imported_push(struct gathering *p, const struct imported_stack *outer, uint32_t frame,
		  struct imported_stack *out)
{
	bool inlined = frame_at(p, frame)->inlined && outer->depth;
	struct imported_stack s = { outer->number, frame, outer->depth + !inlined };

	if (inlined)  /* a sample is one of the function that has the code */
		s.function = p->frames.by_line ? frames_add_at_line(&p->frames, outer->function, frame) :
						 outer->function;
	if (s.function == HASH_INDEX_NONE)
		return -SONDE_NOMEM;
	if (s.depth <= p->stacks.max_frames && is_kept(p, frame))
		s.number = stacks_push(&p->stacks, outer->number, frame);
	*out = s;
	return s.number == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

bool imported_is_too_long(const struct gathering *p, const struct imported_stack *s)
{
	return p->kept.callchains && s->depth > p->stacks.max_frames && !p->stacks.keeps_outermost;
}

int imported_innermost(struct gathering *p, const uint32_t *frames, size_t n, struct imported_stack *s)
{
	s->number = 0;
	while (n-- > 0 && s->number != HASH_INDEX_NONE)
		if (is_kept(p, frames[n]))
			s->number = stacks_push(&p->stacks, s->number, frames[n]);
	return s->number == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

/* The detail of a sample: of its properties, another program's profile has the time at most. */
static uint32_t detail_of(struct gathering *p, const struct imported_sample *s)
{
	struct sonde_profile_detail d = { 0 };

	if (!(p->kept.by & SONDE_BY_TIME) || s->time == SONDE_NONE)
		return 0;
	d.time = s->time - s->time % p->kept.time_step_ns;
	return details_number(&p->details, &d);
}

static int count(struct gathering *p, const struct imported_sample *s)
{
	struct sonde_profile_cell key = { .event = s->event, .task = s->task, .frame = s->stack.function,
					  .stack = s->stack.number, .cpu = -1, .detail = detail_of(p, s) };
	uint32_t number = key.detail == HASH_INDEX_NONE ? HASH_INDEX_NONE : cells_find(p, &key);

	if (number == HASH_INDEX_NONE)
		return -SONDE_NOMEM;
	p->cells.at[number].samples += s->samples;
	p->cells.at[number].period += s->period;
	return p->timed.on ? timed_samples_add(&p->timed, &(const struct sonde_profile_sample){
								.time = s->time, .period = s->period,
								.cell = number, .cpu = UINT32_MAX }) : 0;
}

int imported_sample(struct gathering *p, const struct imported_sample *s)
{
	struct sonde_profile_event *e = &p->events.at[s->event];
	uint64_t sum;

	if (p->wants.sockets.n || p->parallelism.filtered ||
	    (p->wants.named_only && !frame_symbol(frame_at(p, s->stack.function))))
		return 0;
	if (__builtin_add_overflow(e->all_period, s->period, &sum) ||
	    __builtin_add_overflow(e->all_samples, s->samples, &sum))
		return -SONDE_CORRUPT;
	e->all_samples += s->samples;
	e->all_period += s->period;
	times_note(&p->times, s->time);
	if (s->task == TASK_LEFT_OUT)
		return 0;
	e->samples += s->samples;
	e->period += s->period;
	e->shortened_stacks += s->stack.depth > p->stacks.max_frames ? s->samples : 0;
	return count(p, s);
}
