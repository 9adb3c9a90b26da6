/* SPDX-License-Identifier: MIT */
/* filters.h - words behind -F: fields as perf script takes them, or filters as trace-cmd report does */
#ifndef CLI_FILTERS_H
#define CLI_FILTERS_H

#include <sonde/text.h>

#include "cli/command.h"

struct filters {
	struct sonde_event_filter *at;
	size_t n;
	bool inverse;                /* those that come from now on */
};

/* 0 or -SONDE_NOMEM, after a message. */
int filters_add(struct filters *f, const char *text);

/*
 * Of words behind -F those that can be lists of fields, if @may_filter, else all of them, go to @fields.
 * 0; -SONDE_NOMEM, or -SONDE_USAGE for a field that there is not, after a message.
 */
int filters_divide(struct filters *words, bool may_filter, struct filters *filters, struct strings *fields);

#endif
