/* SPDX-License-Identifier: MIT */
/* line.h - a row of the table of counts, as its printers want it */
#ifndef CLI_STAT_LINE_H
#define CLI_STAT_LINE_H

#include <sonde/stat.h>

/* A row of the table: a count with its first metric, or a further metric. */
struct stat_line {
	enum sonde_stat_by by;
	const char *key;             /* NULL: none */
	uint64_t counters;
	const char *event;
	const char *state;           /* NULL: a further metric, and nothing is set from here to running_share */
	double value, scale;
	const char *unit, *cgroup;   /* cgroup NULL: no event has one */
	bool has_deviation;
	double deviation;            /* in percent */
	int64_t running;
	double running_share;
	struct stat_line_metric {
		const char *name;    /* NULL: none */
		double value;        /* NAN: not known */
		const char *unit, *threshold;
	} metric;
};

/* A text of a row, that lives as long as the table; NULL: it is not known. */
const char *stat_text_at(struct sonde_table *t, size_t row, enum sonde_stat_column column);

struct stat_line stat_line_at(struct sonde_table *t, enum sonde_stat_by by, size_t row);

/* By CPU, an event of the term percore has a line for each core. */
enum sonde_stat_by stat_line_by(const struct stat_line *l);

#endif
