/* SPDX-License-Identifier: MIT */
#include "record/perf/schedule.h"

void schedule_begin(struct schedule *s, const struct sonde_perf_window *windows, size_t nr, uint64_t now)
{
	*s = (struct schedule){ .windows = windows, .nr = nr, .began = now };
}

/* When the state changes next; UINT64_MAX: never. */
static uint64_t next_change(const struct schedule *s)
{
	const struct sonde_perf_window *w = &s->windows[s->next];

	if (s->next == s->nr || (s->on && !w->to_ms))
		return UINT64_MAX;
	return s->began + (s->on ? w->to_ms : w->from_ms);
}

int schedule_due(struct schedule *s, uint64_t now)
{
	if (now < next_change(s))
		return 0;
	s->on = !s->on;
	s->next += !s->on;
	return s->on ? 1 : -1;
}

uint64_t schedule_wait(const struct schedule *s, uint64_t now, uint64_t most)
{
	uint64_t at = next_change(s);

	return at <= now ? 0 : at - now < most ? at - now : most;
}
