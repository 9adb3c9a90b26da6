/* SPDX-License-Identifier: MIT */
#include "cli/stat/counts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/stat/keys.h"
#include "cli/stat/machine.h"

static int find_keys(struct stat_table *t, const struct sonde_counter *c, uint64_t cache_level)
{
	for (size_t i = 0; i < t->nr_rows; i++) {
		size_t n = t->rows[i].tool ? 0 : sonde_counter_cell_count(c, t->rows[i].event);

		for (size_t k = 0; k < n; k++) {
			if (stat_key_of(t, table_row_by(t, &t->rows[i]),
					sonde_counter_cell_at(c, t->rows[i].event, k), cache_level) < 0)
				return 1;
			if (t->by == STAT_GLOBAL)
				return 0;
		}
	}
	return 0;
}

/* For lines of CPUs with the sums of their cores. */
static int find_cores(struct stat_row *row, const struct sonde_counter *c, size_t n)
{
	row->first_of_core = calloc(n ? n : 1, sizeof(*row->first_of_core));
	if (!row->first_of_core)
		return say_out_of_memory();
	for (size_t k = 0; k < n; k++) {
		size_t first = 0;

		while (first < k && (row->first_of_core[first] != first ||
				     !stat_is_one_core(sonde_counter_cell_at(c, row->event, k)->cpu,
						       sonde_counter_cell_at(c, row->event, first)->cpu)))
			first++;
		row->first_of_core[k] = first;
	}
	return 0;
}

static int make_cells(struct stat_table *t, const struct sonde_counter *c, struct stat_row *row, uint64_t cache_level)
{
	size_t n = row->tool ? 0 : sonde_counter_cell_count(c, row->event), nr_keys = t->nr_keys;

	row->cells = calloc(nr_keys, sizeof(*row->cells));
	row->key_of = calloc(n ? n : 1, sizeof(*row->key_of));
	if (!row->cells || !row->key_of)
		return say_out_of_memory();
	for (size_t k = 0; k < n; k++) {
		const struct sonde_counter_value *v = sonde_counter_cell_at(c, row->event, k);
		int key = t->by == STAT_GLOBAL ? 0 :
			  stat_key_of(t, table_row_by(t, row), v, cache_level);

		if (key < 0)
			return 1;
		if ((size_t)key >= nr_keys) {
			say("CPUs came or went while the events were opened: try again");
			return 1;
		}
		row->key_of[k] = (size_t)key;
		row->cells[key].nr += v->fd >= 0;
	}
	if (row->tool)
		row->cells[0].nr = 1;
	return row->percore && t->percore_cpus ? find_cores(row, c, n) : 0;
}

int stat_counts_begin(struct stat_table *t, const struct sonde_counter *c, uint64_t cache_level)
{
	static const struct sonde_counter_value none = { .cpu = 0 };

	if (find_keys(t, c, cache_level))
		return 1;
	if (t->nr_keys == 0 && stat_key_of(t, t->by, &none, cache_level) < 0)
		return 1;
	stat_keys_sort(t);
	for (size_t i = 0; i < t->nr_rows; i++)
		if (make_cells(t, c, &t->rows[i], cache_level))
			return 1;
	return 0;
}

void stat_counts_next_run(struct stat_table *t)
{
	for (size_t i = 0; i < t->nr_rows; i++)
		for (size_t key = 0; key < t->nr_keys; key++)
			memset(&t->rows[i].cells[key].before, 0, sizeof(t->rows[i].cells[key].before));
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void take_cell(struct stat_cell *cell, const struct sonde_counter_value *now, enum stat_share share, bool scaled)
{
	struct sonde_counter_value d = *now;
	double value;

	if (share == STAT_SINCE_LAST) {
		d.raw = since(now->raw, cell->before.raw);
		d.time_enabled = since(now->time_enabled, cell->before.time_enabled);
		d.time_running = since(now->time_running, cell->before.time_running);
	}
	if (share != STAT_OF_RUN) {
		memset(&cell->value, 0, sizeof(cell->value));
		memset(&cell->enabled, 0, sizeof(cell->enabled));
		memset(&cell->running, 0, sizeof(cell->running));
	}
	value = (double)d.raw;
	if (scaled && d.time_running && d.time_running < d.time_enabled)
		value = value * (double)d.time_enabled / (double)d.time_running;
	mean_add(&cell->value, value);
	mean_add(&cell->enabled, (double)d.time_enabled);
	mean_add(&cell->running, (double)d.time_running);
	cell->before = *now;
}

/* A number of the machine is the same in each interval. */
static void take_machine(struct stat_row *row, enum stat_share share)
{
	const struct sonde_counter_value now = { .raw = (uint64_t)machine_number(row->name), .time_enabled = 1,
						 .time_running = 1 };

	memset(&row->cells[0].before, 0, sizeof(row->cells[0].before));
	take_cell(&row->cells[0], &now, share, false);
}

static void take_tool(struct stat_row *row, const struct stat_times *times, enum stat_share share)
{
	const uint64_t values[] = {
		[STAT_DURATION_TIME] = times->elapsed, [STAT_USER_TIME] = times->user,
		[STAT_SYSTEM_TIME] = times->system,
	};
	struct sonde_counter_value now = { .raw = values[row->tool], .time_enabled = times->elapsed,
					   .time_running = times->elapsed };

	take_cell(&row->cells[0], &now, share, false);
}

static void add_value(struct sonde_counter_value *sum, const struct sonde_counter_value *v)
{
	sum->raw += v->raw;
	sum->time_enabled += v->time_enabled;
	sum->time_running += v->time_running;
}

static void sum_cells(const struct stat_row *row, const struct sonde_counter *c, size_t n,
		      struct sonde_counter_value *sums)
{
	struct sonde_counter_value *cores = row->first_of_core ? calloc(n ? n : 1, sizeof(*cores)) : NULL;

	for (size_t k = 0; cores && k < n; k++)
		add_value(&cores[row->first_of_core[k]], sonde_counter_cell_at(c, row->event, k));
	for (size_t k = 0; k < n; k++)
		add_value(&sums[row->key_of[k]],
			  cores ? &cores[row->first_of_core[k]] : sonde_counter_cell_at(c, row->event, k));
	free(cores);
}

void stat_counts_take(struct stat_table *t, const struct sonde_counter *c, const struct stat_times *times,
		      enum stat_share share, bool scaled)
{
	for (size_t i = 0; i < t->nr_rows; i++) {
		struct stat_row *row = &t->rows[i];
		size_t n = row->tool ? 0 : sonde_counter_cell_count(c, row->event);
		struct sonde_counter_value *sums;

		if (row->tool == STAT_MACHINE && !row->refused)
			take_machine(row, share);
		else if (row->tool && row->tool != STAT_MACHINE)
			take_tool(row, times, share);
		if (row->tool)
			continue;
		sums = calloc(t->nr_keys, sizeof(*sums));
		if (sums)
			sum_cells(row, c, n, sums);
		for (size_t key = 0; sums && key < t->nr_keys; key++)
			take_cell(&row->cells[key], &sums[key], share, scaled);
		free(sums);
	}
}
