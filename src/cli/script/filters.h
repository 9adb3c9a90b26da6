/* SPDX-License-Identifier: MIT */
/* filters.h - words after -F: fields as in perf script, or filters as in trace-cmd report */
#ifndef CLI_SCRIPT_FILTERS_H
#define CLI_SCRIPT_FILTERS_H

#include <sonde/text.h>

#include "cli/base/command.h"

struct filters {
	struct sonde_event_filter *at;
	size_t n;
	bool inverse;                /* the next filters are inverse */
};

/* 0 or -SONDE_NOMEM, after a message. */
int filters_add(struct filters *f, const char *text);

/*
 * Moves words after -F to @fields: if @may_filter, only words that can be lists of fields, else all. 0; -SONDE_NOMEM,
 * or -SONDE_USAGE for an unknown field, after a message.
 */
int filters_divide(struct filters *words, bool may_filter, struct filters *filters, struct strings *fields);

#endif
