/* SPDX-License-Identifier: MIT */
/* trace_words.h - the words of --sort and --fields that are no columns: fields of the tracepoints of a recording */
#ifndef CLI_REPORT_TRACE_WORDS_H
#define CLI_REPORT_TRACE_WORDS_H

#include "cli/base/command.h"
#include "cli/report/opened.h"

/*
 * Says which word names no field, and that fields are left out. Returns the exit status: 0 or 2.
 * @words: those of --sort first, which are nr_sort
 */
int trace_words_check(const struct opened_input *o, const struct sonde_profile *p, const struct strings *words,
		      size_t nr_sort);

#endif
