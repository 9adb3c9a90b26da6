/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the samples of one event of a profile as rows of a table, with a call tree below each
 *
 * A row is what samples of one group (tasks and CPUs that are alike in the columns asked for) have in one part (functions that
 * are). Its own share are the samples that hit it; with children also those in whose stack it is, each once.
 */
#ifndef ANALYZE_ROWS_H
#define ANALYZE_ROWS_H

#include "analyze/profile.h"

enum row_key { ROW_COMM, ROW_PID, ROW_TID, ROW_DSO, ROW_SYM, ROW_CPU, ROW_EVENT, NR_ROW_KEYS };

/* The key of a --sort word; NR_ROW_KEYS if there is none. */
enum row_key row_key_find(const char *word, size_t len);

struct rows_opts {
	uint32_t event;
	uint32_t keys;               /* bits of enum row_key */
	bool children;
	bool graph;                  /* make the trees */
	bool callee;                 /* trees go from the function outwards */
	bool relative;               /* the limit of a branch is a share of the branch above it */
	double graph_limit;          /* percent */
	bool absolute;               /* percentages are of all samples, not of those that pass the filters */
	const char *const *dsos;     size_t nr_dsos;     /* which rows; none: all */
	const char *const *symbols;  size_t nr_symbols;
};

struct row {
	uint32_t cell;               /* the first one that is in it */
	uint32_t task;               /* of that cell */
	uint32_t frame;
	int32_t cpu;
	uint32_t group, part;
	uint64_t self, children;     /* periods; without children both are the same */
	uint64_t samples;            /* that hit it */
	uint32_t depth;              /* of the longest stack in its tree */
	uint32_t tree, nr_tree;      /* its branches in rows.tree; 0, 0 if there is none */
};

/* A branch of a row's tree, after the one that it hangs on. */
struct branch {
	uint32_t parent;             /* number in rows.tree; UINT32_MAX: hangs on the row */
	uint32_t frame;
	uint64_t value;              /* period */
	uint64_t inner;              /* of all its branches, also those below the limit */
};

struct rows {
	VEC(struct row) list;        /* as they are to be shown */
	VEC(struct branch) tree;
	uint64_t total;              /* of what a percentage is */
};

/* 0 or -SONDE_NOMEM */
int rows_make(struct rows *rows, const struct sonde_profile *p, const struct rows_opts *opts);
void rows_free(struct rows *rows);

#endif
