/* SPDX-License-Identifier: MIT */
#include "analyze/decay.h"

#include <string.h>

enum { MILLIONTH_BITS = 20 };        /* a cell below this share of its event is left out */

static uint64_t eighths_of(uint64_t n, uint32_t eighths)
{
	return n / 8 * eighths + n % 8 * eighths / 8;
}

static void decay_event(struct sonde_profile_event *e, uint32_t eighths)
{
	uint64_t *const sums[] = { &e->samples, &e->period, &e->all_samples, &e->all_period, &e->all_latency,
				   &e->cut_stacks, &e->shortened_stacks };

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*sums[i] = eighths_of(*sums[i], eighths);
}

static bool decay_cell(const struct sonde_profile *p, struct sonde_profile_cell *c, uint32_t eighths)
{
	c->samples = eighths_of(c->samples, eighths);
	c->period = eighths_of(c->period, eighths);
	c->latency = eighths_of(c->latency, eighths);
	return c->period && c->period >= p->events.at[c->event].all_period >> MILLIONTH_BITS;
}

int profile_decay(struct sonde_profile *p, uint32_t eighths)
{
	size_t kept = 0;

	if (profile_end_trace(p) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < p->events.n; i++)
		decay_event(&p->events.at[i], eighths);
	for (size_t i = 0; i < p->cells.n; i++)
		if (decay_cell(p, &p->cells.at[i], eighths))
			p->cells.at[kept++] = p->cells.at[i];
	if (kept == p->cells.n)
		return 0;
	p->cells.n = kept;
	return cells_number(p);
}
