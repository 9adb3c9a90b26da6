/* SPDX-License-Identifier: MIT */
/* query.h - a query with all members, from that of a caller */
#ifndef API_BASE_QUERY_H
#define API_BASE_QUERY_H

#include <sonde/trace.h>

/* Copies @query. Members that are missing, because it is NULL or older, are 0. Its lists stay the caller's. */
struct sonde_query query_of(const struct sonde_query *query);

/*
 * The same as samples are attributed: by time, with the side band, and with a sample of each event for the counts that
 * a sample has read.
 */
struct sonde_query query_by_time(const struct sonde_query *query);

#endif
