/* SPDX-License-Identifier: MIT */
/* derived.h - a rate or ratio beside a count, under the names that perf 7 has for them. */
#ifndef CLI_STAT_DERIVED_H
#define CLI_STAT_DERIVED_H

#include "cli/stat/table.h"

struct stat_derived {
	double value;                /* NAN: its other event was not counted */
	const char *unit;            /* "CPUs  CPUs_utilized" */
	enum stat_threshold threshold;
};

/* The i-th value that is derived from this row; false if there are no so many. */
bool stat_derive(const struct stat_table *t, const struct stat_row *row, size_t key, size_t i,
		 struct stat_derived *out);

/* The same by the name of perf's metric, as "insn_per_cycle": the row that it is derived from; NULL: there is none. */
const char *stat_derived_events(const char *metric);

/* The i-th name; NULL after the last. */
const char *stat_derived_at(size_t i);

#endif
