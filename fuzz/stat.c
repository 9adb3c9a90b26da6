/* SPDX-License-Identifier: MIT */
/* stat.c - the counts of a recording, as every round's table by every key */
#include <sonde/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROUNDS_MOST = 8 };        /* a table may have 65,536 rows */

static void read_cells(struct sonde_table *t)
{
	for (size_t row = 0; t && row < sonde_table_info(t)->rows; row++)
		for (size_t i = 0; i < sonde_table_info(t)->columns; i++)
			sonde_table_value_at(t, row, i);
}

static void read_rounds(const uint8_t *data, size_t size, enum sonde_stat_by by)
{
	const struct sonde_stat_opts opts = { .sz = sizeof(opts), .by = by };
	struct sonde_stat *s = sonde_stat_new(&opts);
	struct sonde_trace *t = sonde_trace_new();

	if (s && t && sonde_trace_open_memory(t, data, size, "input", NULL) == 0 && sonde_stat_open_trace(s, t) == 0)
		for (int i = 0; i < ROUNDS_MOST && sonde_stat_next_round(s) > 0; i++) {
			read_cells(sonde_stat_table(s));
			read_cells(sonde_stat_metrics(s));
		}
	sonde_stat_free(s);
	sonde_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int by = SONDE_STAT_BY_EVENT; by <= SONDE_STAT_BY_NODE; by++)
		read_rounds(data, size, (enum sonde_stat_by)by);
	return 0;
}
