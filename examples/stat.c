/* SPDX-License-Identifier: MIT */
/* stat.c - what perf stat counts of a command, and its rates: stat COMMAND [ARGUMENT...] */
#include <sonde/stat.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct sonde_counter_opts target = { .sz = sizeof(target), .running = true, .best_effort = true };
	struct sonde_stat *s = sonde_stat_new(NULL);
	struct sonde_table *t;
	struct sonde_counter *c;
	int r = argc < 2 || !s ? -1 : sonde_stat_add(s, SONDE_STAT_DEFAULTS, NULL);

	target.command = (const char *const *)argv + 1;
	if (r < 0 || sonde_stat_open(s, &target) < 0)
		return fprintf(stderr, "%s\n", s ? sonde_stat_error(s)->text : "out of memory"), 1;
	c = sonde_stat_counter(s);
	if (sonde_counter_start(c) < 0 || sonde_counter_wait_command(c, -1) < 0 || sonde_counter_read(c) < 0)
		return fprintf(stderr, "%s\n", sonde_counter_error(c)->text), 1;
	t = sonde_stat_take(s, SONDE_STAT_RUN, NULL) < 0 ? NULL : sonde_stat_table(s);
	for (size_t i = 0; t && i < sonde_table_info(t)->rows; i++) {
		printf("%18.2f %-4s ", sonde_table_value_at(t, i, SONDE_STAT_VALUE)->real,
		       sonde_table_value_at(t, i, SONDE_STAT_UNIT)->text);
		printf("%-32s # %8.1f ", sonde_table_value_at(t, i, SONDE_STAT_EVENT_NAME)->text,
		       sonde_table_value_at(t, i, SONDE_STAT_METRIC_VALUE)->real);
		printf("%s  ", sonde_table_value_at(t, i, SONDE_STAT_METRIC_UNIT)->text);
		printf("%s\n", sonde_table_value_at(t, i, SONDE_STAT_METRIC_NAME)->text);
	}
	return sonde_stat_free(s), !t;
}
