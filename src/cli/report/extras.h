/* SPDX-License-Identifier: MIT */
/* extras.h - the output of report beside its table, or instead of it: header, tasks, mappings, statistics */
#ifndef CLI_REPORT_EXTRAS_H
#define CLI_REPORT_EXTRAS_H

#include <sonde/trace.h>

/* Output beside the report, or instead of it. */
struct report_extras {
	bool header, header_only, full;
	bool stats, tasks, mmaps, dump;
	bool threads;
};

/* Whether other output replaces the report. */
bool report_extras_only(const struct report_extras *e);

/*
 * The output before the report and after it. Each returns the exit status; the first is the whole command if
 * report_extras_only().
 */
int report_extras_before(const struct report_extras *e, const struct sonde_query *query, const char *const *paths,
			 size_t n);
int report_extras_after(const struct report_extras *e, const struct sonde_query *query, const char *const *paths,
			size_t n);

#endif
