/* SPDX-License-Identifier: MIT */
#include "export/fleet/row_binary.h"

#include "base/protobuf.h"
#include "base/put.h"

static void put_string(struct buf *out, const char *text, size_t len)
{
	pb_varint(out, len);
	buf_put(out, text, len);
}

static void begin_row(void *to, int64_t date, const char *host)
{
	struct row_binary *w = to;

	put_u16(w->out, (uint16_t)date, host_is_big_endian());
	put_string(w->out, host, strlen(host));
}

static void put_int(void *to, size_t column, int64_t value)
{
	struct row_binary *w = to;

	if (w->columns[column].type == PARQUET_INT32)
		put_u32(w->out, (uint32_t)value, host_is_big_endian());
	else
		put_u64(w->out, (uint64_t)value, host_is_big_endian());
}

static void put_text(void *to, size_t column, const char *text, size_t len)
{
	struct row_binary *w = to;

	(void)column;
	put_string(w->out, text, len);
}

static void put_list(void *to, size_t column, const int64_t *values, size_t n)
{
	struct row_binary *w = to;

	(void)column;
	pb_varint(w->out, n);
	for (size_t i = 0; i < n; i++)
		put_u64(w->out, (uint64_t)values[i], host_is_big_endian());
}

static int end_row(void *to)
{
	return ((struct row_binary *)to)->out->failed;
}

const struct fleet_format row_binary_format = { begin_row, put_int, put_text, put_list, end_row };
