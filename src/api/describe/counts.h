/* SPDX-License-Identifier: MIT */
/* counts.h - the numbers of records and samples of a trace, and sums over them that can be compared between readers */
#ifndef API_DESCRIBE_COUNTS_H
#define API_DESCRIBE_COUNTS_H

#include <sonde/trace.h>

#include "api/trace/single.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "order/read_samples.h"

struct type_count {
	uint32_t type;
	uint64_t n;
};

struct counts {
	VEC(struct type_count) types;    /* in order of appearance */
	VEC(uint64_t) files;             /* records of each file of a directory */
	VEC(uint64_t) samples;           /* by index of the evsel */
	uint64_t other_samples;          /* of events that the trace does not describe */
	uint64_t sum_ip, sum_period, sum_addr;  /* modulo 2^64 */
	uint64_t callchain_entries, branch_entries, user_stack_bytes;
	uint64_t time_min, time_max;     /* of samples; SONDE_NONE if there are none */
	uint64_t without_time;           /* samples without a time */
	struct u64map type_index, tids;
	uint32_t last_type;              /* index of the last record's */
	bool any_tid;
	int32_t last_tid;                /* if there is any */
	struct read_samples reads;
};

#define COUNTS_INIT ((struct counts){ .time_min = SONDE_NONE, .time_max = SONDE_NONE })

/* Takes one event in file order; 0 or -SONDE_NOMEM */
int counts_add(struct counts *c, const struct sonde_trace *t, const struct sonde_event *ev);

/* Takes samples of a trace, as single_next_heads() gives them; 0 or -SONDE_NOMEM */
int counts_add_heads(struct counts *c, struct single *it, const struct sample_heads *heads);
void counts_free(struct counts *c);

#endif
