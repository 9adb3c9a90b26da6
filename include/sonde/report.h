/* SPDX-License-Identifier: MIT */
/**
 * report.h - the rows of a report one by one, for programs that show them: with a key pressed, a row opens
 *
 *	struct sonde_profile *p = sonde_profile_new(NULL);
 *
 *	if (sonde_profile_add(p, t, NULL) == 0) {
 *		struct sonde_report *r = sonde_report_new(p, NULL, NULL);
 *
 *		for (size_t i = 0; i < sonde_report_row_count(r); i++)
 *			puts(sonde_report_row_at(r, i)->text);
 *		sonde_report_free(r);
 *	}
 *	sonde_profile_free(p);
 */
#ifndef SONDE_REPORT_H
#define SONDE_REPORT_H

#include <sonde/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_report;

/** A row: what samples of one group have in one function. Text has no control bytes. */
struct sonde_report_row {
	const char *text;                   /* the line of the table, without its end */
	const char *key;                    /* the columns without figures: tells the row again in a later report */
	const char *dso_name;               /* of the function, as in struct sonde_profile_frame */
	double percent;                     /* of the first column: its children's, if there are any */
	uint32_t frame, task;               /* numbers in the profile: the function, and the task of the first sample */
	/* With opts.hierarchy; a row comes before the rows below it. `frame` and `task` are the first in the row. */
	uint32_t level;                     /* 0: of the first sort key, 1: of the second, below the former, ... */
	bool has_rows;                      /* the next row is below this one */
	const char *level_key;              /* the sort key of the level; NULL without hierarchy */
};

/** A function in the call tree of a row. Text has no control bytes. */
struct sonde_report_node {
	const char *text;                   /* its name */
	double percent;                     /* of all samples; with SONDE_GRAPH_FRACTAL of the node above */
	uint64_t period, samples;
	uint32_t depth;                     /* 0: it hangs on the row */
	uint32_t frame;                     /* number in the profile */
	bool has_children;                  /* the next node is one */
};

/**
 * sonde_report_new - the report of one event, that of @opts or the first one with samples
 * @opts: as for the format "report" of sonde_export(); NULL: its defaults
 * The profile must neither change nor be freed before the report. NULL if that fails, with the reason in @err, which
 * may be NULL.
 */
SONDE_API struct sonde_report *sonde_report_new(const struct sonde_profile *p, const struct sonde_export_opts *opts,
						struct sonde_error *err);

/** sonde_report_free - NULL is accepted */
SONDE_API void sonde_report_free(struct sonde_report *r);

/** sonde_report_row_count - how many rows there are; 0 for NULL */
SONDE_API size_t sonde_report_row_count(const struct sonde_report *r);

/** sonde_report_row_at - the i-th row, largest first; valid until the next call; NULL beyond the last */
SONDE_API const struct sonde_report_row *sonde_report_row_at(struct sonde_report *r, size_t i);

/**
 * sonde_report_tree_at - the call tree of the i-th row as lines of text
 * "" if it has none, because opts.graph is not set or no stacks are kept. Valid until the next call; NULL beyond the
 * last row, and when out of memory.
 */
SONDE_API const char *sonde_report_tree_at(struct sonde_report *r, size_t i);

/**
 * sonde_report_node_count - how many nodes the call tree of the i-th row has; 0 also when out of memory
 * With opts.graph_later the tree is made by the first of these calls for the row, in a time that depends on the samples
 * of the profile. Without it, sonde_report_new() has made the trees of all rows.
 */
SONDE_API size_t sonde_report_node_count(struct sonde_report *r, size_t i);

/**
 * sonde_report_node_at - the k-th node of the call tree of the i-th row
 * A node comes before its children, heaviest first. Valid until the next call; NULL beyond the last.
 */
SONDE_API const struct sonde_report_node *sonde_report_node_at(struct sonde_report *r, size_t i, size_t k);

/** sonde_report_titles - the line with the titles of the columns; valid until the next call; NULL when out of memory */
SONDE_API const char *sonde_report_titles(struct sonde_report *r);

#ifdef __cplusplus
}
#endif
#endif
