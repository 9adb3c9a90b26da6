/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the rows of a report, and below an open row the nodes of its call tree, as lines of a screen
 *
 * Rows are copies, because the profile of `sonde top` goes on meanwhile. Nodes are taken of open rows only.
 */
#ifndef CLI_ROWS_ROWS_H
#define CLI_ROWS_ROWS_H

#include <sonde/report.h>

#include "cli/rows/folds.h"

struct rows_node {
	char *text;
	const char *symbol, *dso;    /* "" if not known. Behind the text. */
	double percent;
	uint32_t depth;
	uint32_t level;              /* of indentation: the depth without nodes that are chained */
	bool has_children;
	bool chained;                /* the only child of the node before, with its whole weight: they open together */
	bool alone;                  /* no other node hangs on the same one, so it is open by itself */
	uint64_t number;             /* of folds */
};

struct row {
	char *text;                  /* cells, with tabs between them */
	const char *symbol, *dso, *comm;  /* of its function and its first sample; "" if not known. Behind the text. */
	int32_t tid;
	double percent;
	uint64_t number;             /* of folds */
	uint32_t report, index;      /* its place in rows.reports */
	struct rows_node *nodes;     /* once it has been open */
	size_t nr_nodes;
	bool has_nodes;
	bool only_own;               /* of its tree only the branches that begin with its function */
	/* of a hierarchy */
	uint32_t level;
	const char *level_key;       /* its sort key; a view of the profile's */
	bool has_rows;               /* the next rows with a higher level are below it */
};

#define ROWS_NO_NODE SIZE_MAX
struct rows_line {
	size_t row;
	size_t node;                 /* ROWS_NO_NODE: the row itself */
};

enum { ROWS_REPORTS = 2 };

struct rows {
	struct row *rows;
	size_t nr_rows, cap_rows;
	struct rows_line *lines;
	size_t nr_lines, cap_lines;
	char *titles;                /* as the text of a row */
	struct sonde_report *reports[ROWS_REPORTS];  /* owned; NULL once they do not hold any more */
	struct sonde_profile *profile;  /* of the reports */
	bool trees;                  /* rows have call trees */
	bool levels;                 /* the rows are a hierarchy */
	double least;                /* percent of a row that has a tree */
	bool all_open;
	struct folds folds;
	/* While rows and lines are made: called now and then; not 0: stop. NULL: nobody asks. */
	int (*progress)(void *ctx, double share);
	void *progress_ctx;
	const bool *stopped;         /* by that function, which the reports may have too; with it only */
};

/* Drops the rows and reports; folds stay. */
void rows_clear(struct rows *r);

/* Puts rows in the place of others, which are dropped; what is open stays. */
void rows_replace(struct rows *r, struct rows *with);

/* Drops the reports only: nodes cannot be taken any more. */
void rows_drop_reports(struct rows *r);

/*
 * Adds the rows of a report of @p, and takes the report over. @label: one more cell of each row, "" for none.
 * @only_own: see struct row. 0, -SONDE_NOMEM or -SONDE_STOPPED
 */
int rows_add(struct rows *r, struct sonde_profile *p, struct sonde_report *report, const char *label, bool only_own);

/* Makes the lines, with nodes of open rows. 0, -SONDE_NOMEM or -SONDE_STOPPED */
int rows_list(struct rows *r);

/* '+': the line can be opened, '-': closed, ' ': neither. */
char rows_sign(const struct rows *r, const struct rows_line *line);

/* Opens or closes a line, of a chain the first one; rows_list() is due. 0 or -SONDE_NOMEM */
int rows_toggle(struct rows *r, const struct rows_line *line);

/*
 * Opens everything below a row that is open: its nodes, or the rows of a hierarchy; rows_list() is due. How many were
 * closed, or -SONDE_NOMEM
 */
int rows_open_below(struct rows *r, size_t row);

/* The line that a line is below: a row of the level above, the row, the first line of its chain; else @line itself. */
size_t rows_above(const struct rows *r, size_t line);

/* Opens all rows and nodes, or closes them. */
void rows_fold_all(struct rows *r, bool open);

/* The number of a line, by which it is found again among other rows. */
uint64_t rows_number(const struct rows *r, size_t line);
size_t rows_find(const struct rows *r, uint64_t number, size_t fallback);

void rows_free(struct rows *r);

#endif
