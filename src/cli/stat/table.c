/* SPDX-License-Identifier: MIT */
#include "cli/stat/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mean_add(struct stat_mean *m, double value)
{
	double distance = value - m->mean;

	m->last = value;
	m->n++;
	m->mean += distance / m->n;
	m->squares += distance * (value - m->mean);
}

double mean_error(const struct stat_mean *m)
{
	return m->n < 2 ? 0 : sqrt(m->squares / (m->n - 1) / m->n);
}

double mean_deviation(const struct stat_mean *m)
{
	return m->mean != 0 ? mean_error(m) / m->mean : 0;
}

/* "cycles" is "cycles:u" where only user space may be counted. */
static bool is_named(const struct stat_row *row, const char *name)
{
	size_t n = strlen(name);

	return (row->asked && !strcmp(row->asked, name)) ||
	       (strncmp(row->name, name, n) == 0 && (!row->name[n] || row->name[n] == ':'));
}

const struct stat_cell *table_find(const struct stat_table *t, const struct stat_row *like, size_t key,
				   const char *name)
{
	const char *mods = strchr(like->name, ':');

	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < t->nr_rows; i++) {
			const struct stat_row *r = &t->rows[i];
			const char *its = strchr(r->name, ':');

			if (r->refused || !is_named(r, name) || !r->cgroup != !like->cgroup ||
			    (r->cgroup && strcmp(r->cgroup, like->cgroup) != 0) ||
			    (exact && strcmp(mods ? mods : "", its ? its : "") != 0))
				continue;
			if (r->cells[key].running.mean > 0)
				return &r->cells[key];
		}
	return NULL;
}

enum stat_aggregation table_row_by(const struct stat_table *t, const struct stat_row *row)
{
	return row->percore && !t->percore_cpus ? STAT_CORE : t->by;
}

bool table_row_has_key(const struct stat_table *t, const struct stat_row *row, size_t key)
{
	bool of_core = strncmp(t->keys[key], "CPU", strlen("CPU")) != 0;

	return t->by != STAT_CPU || of_core == (table_row_by(t, row) == STAT_CORE);
}

void table_free(struct stat_table *t)
{
	for (size_t i = 0; i < t->nr_rows; i++) {
		free(t->rows[i].name);
		free(t->rows[i].unit);
		free(t->rows[i].asked);
		free(t->rows[i].metrics.at);
		free(t->rows[i].cells);
		free(t->rows[i].key_of);
		free(t->rows[i].first_of_core);
	}
	free(t->rows);
	free(t->keys);
	memset(t, 0, sizeof(*t));
}
