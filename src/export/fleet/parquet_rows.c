/* SPDX-License-Identifier: MIT */
#include "export/fleet/parquet_rows.h"

static void begin_row(void *to, int64_t date, const char *host)
{
	(void)to;
	(void)date;
	(void)host;
}

static void put_int(void *to, size_t column, int64_t value)
{
	parquet_put_int(to, column, value);
}

static void put_text(void *to, size_t column, const char *text, size_t len)
{
	parquet_put_text(to, column, text, len);
}

static void put_list(void *to, size_t column, const int64_t *values, size_t n)
{
	parquet_put_list(to, column, values, n);
}

static int end_row(void *to)
{
	return parquet_end_row(to);
}

const struct fleet_format parquet_rows_format = { begin_row, put_int, put_text, put_list, end_row };
