/* SPDX-License-Identifier: MIT */
/* print.h - a table as text, with separators, or as JSON: the layouts of perf stat. */
#ifndef CLI_STAT_PRINT_H
#define CLI_STAT_PRINT_H

#include <stdio.h>

#include "cli/stat/table.h"

struct stat_format {
	FILE *out;
	const char *separator;       /* of -x; NULL: text or JSON */
	bool json;
	bool big_numbers;            /* thousands apart, as the locale has it */
	bool metric_only;
	bool colour;                 /* for a terminal */
};

/* A JSON string with its quotes. */
void stat_print_json_text(FILE *out, const char *text);

/* The moment of an interval, in seconds; negative: none. A summary after intervals says so in its place. */
enum { STAT_NO_TIME = -1, STAT_SUMMARY = -2 };

void stat_print_table(const struct stat_format *f, const struct stat_table *t, double moment);

/* The line above the columns of intervals, "#           time             counts unit events". */
void stat_print_heading(const struct stat_format *f, const struct stat_table *t);

/* @target: "'ls -l'", "'system wide'". */
void stat_print_title(const struct stat_format *f, const char *target, uint32_t runs);

struct stat_end {
	struct stat_mean elapsed, user, system;  /* seconds; user and system are told of a command that ran once */
	bool has_usage, no_rows;
	const double *each;          /* of --table: the elapsed times; NULL: not told */
};
void stat_print_end(const struct stat_format *f, const struct stat_end *end);

#endif
