/* SPDX-License-Identifier: MIT */
/* partition.h - values as names of directories, KEY=VALUE, as Hive, Spark and DuckDB have them */
#ifndef FLEET_PARTITION_H
#define FLEET_PARTITION_H

#include "base/buf.h"

/* Longer names are cut: a name of a file has no more than 255 bytes. */
#define PARTITION_NAME_MAX 200

/* Bytes other than letters, digits, '-', '.' and '_' become %XX. */
void partition_encode(struct buf *to, struct sonde_str value);

/* The value behind '='; %XX are the bytes again. */
void partition_decode(struct buf *to, const char *name);

#endif
