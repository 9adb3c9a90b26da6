/* SPDX-License-Identifier: MIT */
#include "cli/stat/line.h"

#include <math.h>
#include <string.h>

const char *stat_text_at(struct sonde_table *t, size_t row, enum sonde_stat_column column)
{
	return sonde_table_value_at(t, row, column)->text;
}

static double real_at(struct sonde_table *t, size_t row, enum sonde_stat_column column)
{
	return sonde_table_value_at(t, row, column)->real;
}

/* NAN if it is not known. */
static double known_at(struct sonde_table *t, size_t row, enum sonde_stat_column column)
{
	return sonde_table_value_at(t, row, column)->known ? real_at(t, row, column) : NAN;
}

struct stat_line stat_line_at(struct sonde_table *t, enum sonde_stat_by by, size_t row)
{
	const struct stat_line l = {
		.by = by, .key = stat_text_at(t, row, SONDE_STAT_KEY),
		.counters = (uint64_t)sonde_table_value_at(t, row, SONDE_STAT_COUNTERS)->number,
		.event = stat_text_at(t, row, SONDE_STAT_EVENT_NAME), .state = stat_text_at(t, row, SONDE_STAT_STATE),
		.value = known_at(t, row, SONDE_STAT_VALUE), .scale = real_at(t, row, SONDE_STAT_SCALE),
		.unit = stat_text_at(t, row, SONDE_STAT_UNIT), .cgroup = stat_text_at(t, row, SONDE_STAT_CGROUP),
		.has_deviation = sonde_table_value_at(t, row, SONDE_STAT_DEVIATION)->known,
		.deviation = sonde_table_value_at(t, row, SONDE_STAT_DEVIATION)->share,
		.running = sonde_table_value_at(t, row, SONDE_STAT_RUNNING)->number,
		.running_share = sonde_table_value_at(t, row, SONDE_STAT_RUNNING_SHARE)->share,
		.metric = { stat_text_at(t, row, SONDE_STAT_METRIC_NAME), known_at(t, row, SONDE_STAT_METRIC_VALUE),
			    stat_text_at(t, row, SONDE_STAT_METRIC_UNIT), stat_text_at(t, row, SONDE_STAT_THRESHOLD) },
	};

	return l;
}

enum sonde_stat_by stat_line_by(const struct stat_line *l)
{
	return l->by == SONDE_STAT_BY_CPU && strncmp(l->key, "CPU", strlen("CPU")) != 0 ? SONDE_STAT_BY_CORE : l->by;
}
