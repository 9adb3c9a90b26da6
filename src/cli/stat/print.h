/* SPDX-License-Identifier: MIT */
/* print.h - a table as text, with separators, or as JSON: the layouts of perf stat. */
#ifndef CLI_STAT_PRINT_H
#define CLI_STAT_PRINT_H

#include <sonde/stat.h>
#include <stdio.h>

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

void stat_print_table(const struct stat_format *f, struct sonde_stat *s, double moment);

/* The line above the columns of intervals, "#           time             counts unit events". */
void stat_print_heading(const struct stat_format *f, struct sonde_stat *s);

/* @target: "'ls -l'", "'system wide'". */
void stat_print_title(const struct stat_format *f, const char *target, uint32_t runs);

/* Stands below the counts, beside the times of sonde_stat_info(). */
struct stat_end {
	bool has_usage, no_rows;     /* user and system time are told of a command that ran once */
	const double *each;          /* of --table: the elapsed times, s; NULL: not told */
};
void stat_print_end(const struct stat_format *f, const struct sonde_stat_info *info, const struct stat_end *end);

#endif
