/* SPDX-License-Identifier: MIT */
/* stat_report.c - the counts of a recording of sonde stat record or perf stat record: stat_report [FILE] */
#include <sonde/stat.h>
#include <stdio.h>

#define AT(column) sonde_table_value_at(t, i, column)

static void print(struct sonde_table *t, size_t i)
{
	if (AT(SONDE_STAT_KEY)->known)
		printf("%s,", AT(SONDE_STAT_KEY)->text);
	if (AT(SONDE_STAT_VALUE)->known)
		printf("%.*f,", AT(SONDE_STAT_SCALE)->real != 1 ? 2 : 0, AT(SONDE_STAT_VALUE)->real);
	else
		printf("<%s>,", AT(SONDE_STAT_STATE)->text);
	printf("%s,%s,", AT(SONDE_STAT_UNIT)->text, AT(SONDE_STAT_EVENT_NAME)->text);
	printf("%lld,%.2f,,\n", (long long)AT(SONDE_STAT_RUNNING)->number, AT(SONDE_STAT_RUNNING_SHARE)->share);
}

int main(int argc, char **argv)
{
	struct sonde_trace *trace = sonde_trace_new();
	struct sonde_stat *s = sonde_stat_new(NULL);
	int r = sonde_trace_open(trace, argc > 1 ? argv[1] : "perf.data", NULL);

	for (r = r < 0 ? r : sonde_stat_open_trace(s, trace); r >= 0 && (r = sonde_stat_next_round(s)) > 0;)
		for (size_t i = 0; i < sonde_table_info(sonde_stat_table(s))->rows; i++)
			print(sonde_stat_table(s), i);
	return r < 0;
}
