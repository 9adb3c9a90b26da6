/* SPDX-License-Identifier: MIT */
#include "api/base/query.h"

#include "base/bytes.h"

struct sonde_query query_of(const struct sonde_query *query)
{
	return (struct sonde_query){
		.sz = sizeof(struct sonde_query),
		.order = OPT(query, order, SONDE_ORDER_FILE),
		.time_min = OPT(query, time_min, 0), .time_max = OPT(query, time_max, 0),
		.cpus = OPT(query, cpus, NULL), .nr_cpus = OPT(query, nr_cpus, 0),
		.pids = OPT(query, pids, NULL), .nr_pids = OPT(query, nr_pids, 0),
		.tids = OPT(query, tids, NULL), .nr_tids = OPT(query, nr_tids, 0),
		.events = OPT(query, events, NULL), .nr_events = OPT(query, nr_events, 0),
		.samples_only = OPT(query, samples_only, false),
		.times = OPT(query, times, NULL), .nr_times = OPT(query, nr_times, 0),
		.split_reads = OPT(query, split_reads, false),
	};
}

struct sonde_query query_by_time(const struct sonde_query *query)
{
	struct sonde_query q = query_of(query);

	q.order = SONDE_ORDER_TIME;
	q.samples_only = false;
	q.split_reads = true;
	return q;
}
