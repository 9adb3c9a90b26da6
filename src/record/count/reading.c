/* SPDX-License-Identifier: MIT */
#include "record/count/reading.h"

#include <linux/perf_event.h>
#include <string.h>

#include "record/count/user_read.h"

/* The kernel refuses groups whose read(2) would be longer. */
#define GROUP_WORDS (16384 / sizeof(uint64_t))

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t scale(uint64_t raw, uint64_t enabled, uint64_t running)
{
	if (running == 0)
		return 0;
	if (running >= enabled)
		return raw;
	/* at most 2^53 is exact, as counts are in practice, and larger ones are estimates anyway */
	return (uint64_t)((double)raw * (double)enabled / (double)running + 0.5);
}

static void set_cell(struct count_cell *cell, uint64_t raw, uint64_t enabled, uint64_t running, uint64_t id,
		     uint64_t lost)
{
	struct sonde_counter_value *v = &cell->value;

	v->raw = minus(raw, cell->base.raw);
	v->time_enabled = minus(enabled, cell->base.time_enabled);
	v->time_running = minus(running, cell->base.time_running);
	v->scaled = scale(v->raw, v->time_enabled, v->time_running);
	v->id = id;
	v->lost = minus(lost, cell->base.lost);
}

static int read_words(struct sonde_counter *c, size_t i, int fd, uint64_t *words, size_t n, size_t *got)
{
	ssize_t r = c->calls->read(fd, words, n * sizeof(*words));

	if (r < 0)
		return err_sys(&c->err, (int)-r, "cannot read the count of %.80s", c->counted.at[i].event.name);
	*got = (size_t)r / sizeof(*words);
	return 0;
}

/* A pinned event that could not stay on the hardware gives no bytes: it is not counted. */
static int read_alone(struct sonde_counter *c, size_t i, struct count_cell *cell)
{
	uint64_t words[5] = { 0 };
	size_t got;
	int r = read_words(c, i, cell->value.fd, words, 5, &got);

	if (r < 0)
		return r;
	set_cell(cell, words[0], words[1], words[2], got >= 4 ? words[3] : cell->value.id, got == 5 ? words[4] : 0);
	return 0;
}

/* The cell of an event that has the thread and CPU of a cell of its leader. */
static struct count_cell *same_place(struct counted *e, const struct count_cell *of, size_t hint)
{
	for (size_t n = 0; n < e->nr_cells; n++) {
		struct count_cell *cell = &e->cells[(hint + n) % e->nr_cells];

		if (cell->value.tid == of->value.tid && cell->value.cpu == of->value.cpu)
			return cell;
	}
	return NULL;
}

/* The leader and its members, in the order in which they were opened. */
static int read_group(struct sonde_counter *c, size_t leader, size_t k)
{
	uint64_t words[GROUP_WORDS] = { 0 };
	struct count_cell *first = &c->counted.at[leader].cells[k];
	bool lost = c->events.at[leader].attr.read_format & FORMAT_LOST;
	size_t got, at = 3, member = lost ? 3 : 2;
	int r = read_words(c, leader, first->value.fd, words, GROUP_WORDS, &got);

	if (r < 0)
		return r;
	for (size_t i = leader; i < c->counted.n; i++) {
		struct count_cell *cell;

		if (c->events.at[i].leader != leader)
			continue;
		cell = same_place(&c->counted.at[i], first, k);
		if (!cell || cell->value.fd < 0)
			continue;
		if (at + member <= got && at + member <= 3 + member * words[0])
			set_cell(cell, words[at], words[1], words[2], words[at + 1], lost ? words[at + 2] : 0);
		else
			set_cell(cell, 0, 0, 0, cell->value.id, 0);
		at += member;
	}
	return 0;
}

static bool by_group(const struct sonde_counter *c, size_t i)
{
	return c->events.at[c->events.at[i].leader].attr.read_format & PERF_FORMAT_GROUP;
}

static void sum_up(struct counted *e)
{
	struct sonde_counter_value *s = &e->sum;

	s->raw = s->time_enabled = s->time_running = s->lost = 0;
	for (size_t k = 0; k < e->nr_cells; k++) {
		s->raw += e->cells[k].value.raw;
		s->time_enabled += e->cells[k].value.time_enabled;
		s->time_running += e->cells[k].value.time_running;
		s->lost += e->cells[k].value.lost;
	}
	s->scaled = scale(s->raw, s->time_enabled, s->time_running);
}

int counter_read(struct sonde_counter *c)
{
	int r = 0;

	for (size_t i = 0; i < c->counted.n; i++) {
		struct counted *e = &c->counted.at[i];
		bool group = by_group(c, i);

		if (group && c->events.at[i].leader != i)
			continue;
		for (size_t k = 0; r == 0 && k < e->nr_cells; k++)
			if (e->cells[k].value.fd >= 0)
				r = group ? read_group(c, i, k) : read_alone(c, i, &e->cells[k]);
	}
	for (size_t i = 0; i < c->counted.n; i++)
		sum_up(&c->counted.at[i]);
	return r;
}

/* The kernel can set counts to 0, but neither times nor the counts of tasks that have ended: take the difference. */
int counter_reset(struct sonde_counter *c)
{
	int r = counter_read(c);

	for (size_t i = 0; r == 0 && i < c->counted.n; i++) {
		struct counted *e = &c->counted.at[i];

		for (size_t k = 0; k < e->nr_cells; k++) {
			struct count_cell *cell = &e->cells[k];

			cell->base.raw += cell->value.raw;
			cell->base.lost += cell->value.lost;
			cell->base.time_enabled += cell->value.time_enabled;
			cell->base.time_running += cell->value.time_running;
			set_cell(cell, 0, 0, 0, cell->value.id, 0);
		}
		sum_up(e);
	}
	return r;
}

int counter_read_self(struct sonde_counter *c, size_t event, struct sonde_counter_reading *out)
{
	struct counted *e = &c->counted.at[event];
	struct count_cell *cell = &e->cells[0];
	struct user_reading now;
	int r;

	if (cell->map && user_read(cell->map, &processor_instructions, &now)) {
		out->value = now.value - cell->base.raw;
		out->time_enabled = now.time_enabled - cell->base.time_enabled;
		out->time_running = now.time_running - cell->base.time_running;
		out->by_page = true;
		return 0;
	}
	if (by_group(c, event)) {
		size_t leader = c->events.at[event].leader;

		r = read_group(c, leader, 0);
	} else {
		r = read_alone(c, event, cell);
	}
	out->value = cell->value.raw;
	out->time_enabled = cell->value.time_enabled;
	out->time_running = cell->value.time_running;
	out->by_page = false;
	return r;
}
