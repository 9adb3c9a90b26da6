/* SPDX-License-Identifier: MIT */
/* Any bytes as a Parquet file: the rows of a column of each type, one column at a time and all together. */
#include <stdlib.h>

#include "parquet/parquet_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INT32, INT64, DELTA, TEXT, LIST, NR_COLUMNS };

static const struct parquet_column columns[NR_COLUMNS] = {
	[INT32] = { "int32", PARQUET_INT32 },
	[INT64] = { "int64", PARQUET_INT64 },
	[DELTA] = { "delta", PARQUET_INT64 },
	[TEXT] = { "text", PARQUET_STRING },
	[LIST] = { "list", PARQUET_INT64_LIST },
};

/* Runs can promise more rows than a fuzzer has time for. */
enum { ROWS_MAX = 100000 };

static uint64_t use(const struct parquet_reader *r, size_t i, const struct parquet_column *column)
{
	uint64_t sum = 0;

	if (column->type == PARQUET_STRING) {
		struct sonde_str text = parquet_text(r, i);

		for (size_t j = 0; j < text.len; j++)
			sum += (uint8_t)text.p[j];
	} else if (column->type == PARQUET_INT64_LIST) {
		size_t n;
		const int64_t *list = parquet_list(r, i, &n);

		for (size_t j = 0; j < n; j++)
			sum += (uint64_t)list[j];
	} else {
		sum = (uint64_t)parquet_int(r, i);
	}
	return sum;
}

/* Makes reads of bytes happen. */
static volatile uint64_t read_sum;

static void read_columns(const uint8_t *data, size_t size, const struct parquet_column *wanted, size_t n)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct parquet_reader *r = parquet_reader_new(wanted, n);
	struct image file;
	uint64_t sum = 0;

	if (!r)
		return;
	image_memory(&file, data, size);
	if (parquet_reader_open(r, &file, &err) == 0)
		for (uint64_t rows = 0; rows < ROWS_MAX && parquet_reader_next(r) > 0; rows++)
			for (size_t i = 0; i < n; i++)
				sum += use(r, i, &wanted[i]);
	read_sum = sum;
	parquet_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		read_columns(data, size, &columns[i], 1);
	read_columns(data, size, columns, NR_COLUMNS);
	return 0;
}
