/* SPDX-License-Identifier: MIT */
#include "record/count/counter.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/host/tracefs.h"

struct sonde_counter *counter_new(const struct system_calls *calls)
{
	struct sonde_counter *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->calls = calls;
	c->roots = (struct event_roots){ "/sys", tracefs_find() };
	c->child = CHILD_NONE;
	c->command.fd = -1;
	c->command.wait_status = -1;
	err_clear(&c->err);
	return c;
}

int counter_take_events(struct sonde_counter *c)
{
	while (c->counted.n < c->events.n) {
		struct counted e = { .cgroup = -1, .sum = { .id = SONDE_NONE, .tid = -1, .cpu = -1, .fd = -1 } };

		if (vec_push(&c->counted, e) < 0) {
			c->events.n = c->counted.n;
			return err_nomem(&c->err);
		}
	}
	for (size_t i = 0; i < c->events.n; i++) {
		const struct event *from = &c->events.at[i];
		struct sonde_counter_event *e = &c->counted.at[i].event;

		e->name = from->name;
		e->attr = &from->attr;
		e->unit = from->unit;
		e->scale = from->scale;
		e->leader = from->leader;
		e->in_group = from->group;
		e->group_name = from->group;
		e->system_wide = from->system_wide;
		e->percore = from->percore;
		e->refusal = c->counted.at[i].refusal[0] ? c->counted.at[i].refusal : NULL;
	}
	return 0;
}

void counter_close_event(struct counted *e)
{
	for (size_t i = 0; i < e->nr_cells; i++) {
		if (e->cells[i].map)
			munmap(e->cells[i].map, e->cells[i].map_bytes);
		if (e->cells[i].value.fd >= 0)
			close(e->cells[i].value.fd);
	}
	free(e->cells);
	e->cells = NULL;
	e->nr_cells = 0;
}

int counter_check_event(struct sonde_counter *c, size_t event)
{
	if (!c->opened)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter is not open");
	if (event >= c->counted.n)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the counter has %zu events, there is no event %zu",
			       c->counted.n, event);
	if (c->counted.at[event].nr_cells == 0)
		return err_set(&c->err, SONDE_UNSUPPORTED, SONDE_NONE, "%s", c->counted.at[event].refusal);
	return 0;
}

void counter_close(struct sonde_counter *c)
{
	child_finish(&c->child);
	c->child = CHILD_NONE;
	/* the members of a group first: closing a leader makes the kernel change all of them */
	for (size_t i = c->counted.n; i-- > 0;) {
		counter_close_event(&c->counted.at[i]);
		if (c->counted.at[i].cgroup >= 0)
			close(c->counted.at[i].cgroup);
		c->counted.at[i].cgroup = -1;
	}
	target_free(&c->target);
	c->target = (struct target){ 0 };
	c->opened = false;
}

void counter_release(struct sonde_counter *c)
{
	counter_close(c);
	vec_free(&c->counted);
	events_free(&c->events);
	vendor_events_free(&c->vendor);
}
