/* SPDX-License-Identifier: MIT */
/* lines.h - the rows of a report as lines of a screen; below an open row the lines of its call tree */
#ifndef CLI_TOP_LINES_H
#define CLI_TOP_LINES_H

#include <sonde/report.h>

struct top_line {
	char *text;
	char *key, *dso;             /* of a row; NULL in the tree of a row */
	double percent;
};

struct top_lines {
	struct top_line *at;
	size_t n, cap;
	char *titles;
	char **open;                 /* keys of rows that are open */
	size_t nr_open;
};

/* Takes over the rows of a report. @trees: rows can be opened. 0 or -SONDE_NOMEM */
int lines_take(struct top_lines *l, struct sonde_report *report, bool trees);

/* Opens or closes a row. */
void lines_toggle(struct top_lines *l, const char *key);

/* The line of the row with this key; @fallback if there is none. */
size_t lines_find(const struct top_lines *l, const char *key, size_t fallback);

void lines_free(struct top_lines *l);

#endif
