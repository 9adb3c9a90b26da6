/* SPDX-License-Identifier: MIT */
/* query.h - a caller's query, in full */
#ifndef API_QUERY_H
#define API_QUERY_H

#include <sonde/trace.h>

/* Every field of a query that is NULL or of an older size, those that it has not as 0. Its lists stay the caller's. */
struct sonde_query query_of(const struct sonde_query *query);

/* The same for what attributes samples: by time, with the side band, whatever the caller says of these two. */
struct sonde_query query_by_time(const struct sonde_query *query);

#endif
