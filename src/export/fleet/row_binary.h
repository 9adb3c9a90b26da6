/* SPDX-License-Identifier: MIT */
/*
 * row_binary.h - rows in the format RowBinary of ClickHouse: values one after the other, without names
 *
 * Integers are little-endian, a String is its length as a varint and its bytes, an Array the number of its elements as
 * a varint and the elements, a Date days since 1970 in 16 bits. Before the columns of a table come date and host.
 */
#ifndef EXPORT_FLEET_ROW_BINARY_H
#define EXPORT_FLEET_ROW_BINARY_H

#include "export/fleet/tables.h"

/* Its `to` is a struct row_binary. */
extern const struct fleet_format row_binary_format;

struct row_binary {
	struct buf *out;
	const struct parquet_column *columns;
};

#endif
