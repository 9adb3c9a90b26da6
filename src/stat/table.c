/* SPDX-License-Identifier: MIT */
#include "stat/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stat_mean_add(struct stat_mean *m, double value)
{
	double distance = value - m->mean;

	m->last = value;
	m->n++;
	m->mean += distance / m->n;
	m->squares += distance * (value - m->mean);
}

double stat_mean_error(const struct stat_mean *m)
{
	return m->n < 2 ? 0 : sqrt(m->squares / (m->n - 1) / m->n);
}

double stat_mean_deviation(const struct stat_mean *m)
{
	return m->mean != 0 ? stat_mean_error(m) / m->mean : 0;
}

/* "cycles" is "cycles:u" where only user space may be counted. */
static bool is_named(const struct stat_row *row, const char *name)
{
	size_t n = strlen(name);

	return (row->asked && !strcmp(row->asked, name)) ||
	       (strncmp(row->name, name, n) == 0 && (!row->name[n] || row->name[n] == ':'));
}

const struct stat_cell *stat_table_find(const struct stat_table *t, const struct stat_row *like, size_t key,
					const char *name)
{
	const char *mods = strchr(like->name, ':');

	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < t->rows.n; i++) {
			const struct stat_row *r = &t->rows.at[i];
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

enum sonde_stat_by stat_row_by(const struct stat_table *t, const struct stat_row *row)
{
	return row->percore && !t->percore_cpus ? SONDE_STAT_BY_CORE : t->by;
}

bool stat_row_has_key(const struct stat_table *t, const struct stat_row *row, size_t key)
{
	bool of_core = strncmp(t->keys[key], "CPU", strlen("CPU")) != 0;

	return t->by != SONDE_STAT_BY_CPU || of_core == (stat_row_by(t, row) == SONDE_STAT_BY_CORE);
}

void stat_table_free(struct stat_table *t)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		struct stat_row *row = &t->rows.at[i];

		free(row->name);
		free(row->unit);
		free(row->asked);
		vec_free(&row->metrics);
		free(row->cells);
		free(row->key_of);
		free(row->first_of_core);
	}
	vec_free(&t->rows);
	vec_free(&t->chosen);
	free(t->keys);
	hash_index_free(&t->key_index);
	memset(t, 0, sizeof(*t));
}
