/* SPDX-License-Identifier: MIT */
/* describe.h - parts of a description that both formats share */
#ifndef API_DESCRIBE_DESCRIBE_H
#define API_DESCRIBE_DESCRIBE_H

#include <sonde/describe.h>

#include "base/json.h"

#define INFO_JSON_SCHEMA 1

/* null for SONDE_NONE */
static inline void describe_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	if (v == SONDE_NONE)
		json_null(j);
	else
		json_u64(j, v);
}

/* Reads a trace until its events are known: the first records of a file, a stream up to its first sample. */
int describe_read_beginning(struct sonde_trace *t, struct sonde_error *err);

#endif
