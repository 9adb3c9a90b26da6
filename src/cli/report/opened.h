/* SPDX-License-Identifier: MIT */
/* opened.h - the traces of a report: they stay open until its end, because it refers to their events */
#ifndef CLI_REPORT_OPENED_H
#define CLI_REPORT_OPENED_H

#include <sonde/profile.h>

#include "cli/base/session.h"

struct opened_input {
	union {
		struct session session;
		struct session;
	};
};

/* Opens traces, and adds their samples to a profile. Returns the exit status. */
int opened_add(struct opened_input *o, struct sonde_profile *p, const struct sonde_query *query,
	       const char *const *paths, size_t n);

/* Opens the same traces again, without messages: those of the first time were printed. NULL, or why it stopped. */
const char *opened_add_again(struct opened_input *o, struct sonde_profile *p, const struct sonde_query *query,
			     const struct opened_input *first);

/* Whether all are files or directories, no pipes. */
bool opened_can_be_read_again(const struct opened_input *o);

/* Whether a trace or a profile could be opened at all. */
bool opened_have_any(const struct opened_input *o);

/* Events without an address have only tasks in their rows; the functions are in the trees. */
bool opened_have_addresses(const struct opened_input *o);

/* Whether an event was recorded with one of these bits of sample_type. */
bool opened_have_field(const struct opened_input *o, uint64_t sample_type);

/* Prints perf report's line with the number of lost samples of all events. */
void opened_print_lost(const struct opened_input *o);

/* The description of each trace and its losses, to be freed by the caller; NULL when out of memory. */
char *opened_describe(const struct opened_input *o);

void opened_close(struct opened_input *o);

#endif
