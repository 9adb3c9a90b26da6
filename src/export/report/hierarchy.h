/* SPDX-License-Identifier: MIT */
/* hierarchy.h - --hierarchy: one line for each value of the first key, below it those of the second */
#ifndef EXPORT_REPORT_HIERARCHY_H
#define EXPORT_REPORT_HIERARCHY_H

#include "export/report/table.h"

struct hierarchy;

struct hierarchy_line {
	const struct hist_entry *row;
	uint32_t level;              /* 0: of the first key */
	bool last;                   /* of the last key: the row is one of the table, and can have a tree */
};

/* The lines below a table, which lives longer. 0, -SONDE_NOMEM or -SONDE_STOPPED; to be freed in any case */
int hierarchy_new(struct hierarchy **h, const struct report_table *t);
void hierarchy_free(struct hierarchy *h);

/* A line comes before the lines below it. */
size_t hierarchy_count(const struct hierarchy *h);
const struct hierarchy_line *hierarchy_at(const struct hierarchy *h, size_t i);

/* The sort key of a level. */
const char *hierarchy_key(const struct hierarchy *h, uint32_t level);

/* Figures, and the titles of all keys; figures, and the value of the line's key: with the separator of the options. */
void hierarchy_put_titles(struct buf *b, const struct hierarchy *h);
void hierarchy_put_cells(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line);

/* The values of all keys up to the line's. */
void hierarchy_put_key(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line);

/* Titles and rows as text. 1, 0 if there is no row, -SONDE_NOMEM or -SONDE_STOPPED */
int report_put_hierarchy(struct buf *b, const struct report_table *t);

#endif
