/* SPDX-License-Identifier: MIT */
/*
 * hists.h - the samples of one event of a profile as rows of a table, with a call tree below each
 *
 * A row is what samples of one group (tasks and CPUs that are alike in the columns asked for) have in one part
 * (functions that are). Its own share are the samples that hit it; with children also those in whose stack it is,
 * each once.
 */
#ifndef ANALYZE_ROWS_HISTS_H
#define ANALYZE_ROWS_HISTS_H

#include "analyze/tables/profile.h"
#include "analyze/rows/branch_sums.h"
#include "analyze/rows/memory_classes.h"

/* Periods and the number of their samples. */
struct weight { uint64_t period, samples; };

static inline void weight_add(struct weight *w, struct weight more)
{
	w->period += more.period;
	w->samples += more.samples;
}

static inline struct weight weight_less(struct weight w, struct weight less)
{
	return (struct weight){ w.period - less.period, w.samples - less.samples };
}

struct stack_tree;
struct hist_entry;
struct hists_opts;

/*
 * A key tells rows apart by a number of the sample or of the function: two numbers are two rows. Pointers
 * to interned names are such numbers too.
 */
struct hist_key {
	uint64_t (*of_cell)(const struct hists_opts *o, const struct sonde_profile *p,
			    const struct sonde_profile_cell *c);
	uint64_t (*of_frame)(const struct stack_tree *f, uint32_t frame);
	/* Whose of_frame that is, number + 1, 0: nobody's; NULL: of the function that is the row. */
	uint64_t (*other_frame)(const struct sonde_profile_detail *d);
};

/* Which of two rows comes first: negative: a. */
typedef int (*hist_order)(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			  const struct hist_entry *b);

struct hists_opts {
	uint32_t event;
	const struct event_cells *cells;     /* of the profile */
	const struct hist_key *const *keys;   size_t nr_keys;    /* at most KEY_SET_WIDTH */
	const hist_order *orders;             size_t nr_orders;  /* of rows that are equal in all of them: by name */
	/* by stack: the function + 1 that is its parent, 0 if it has none; of a key that asks for it */
	const uint32_t *parents;
	bool children;
	bool graph;                  /* make the trees */
	bool graph_lines;            /* a function is a node for each of its lines */
	bool callee;                 /* trees go from the function outwards */
	bool relative;               /* the limit of a node is a share of the node above it */
	double graph_limit;          /* percent */
	bool absolute;               /* percentages are of all samples, not of those that pass the filters */
	const char *const *dsos;     size_t nr_dsos;     /* which rows; none: all */
	const char *const *symbols;  size_t nr_symbols;
	const char *symbol_part;     /* rows whose function's name has this in it; NULL: all */
	bool weights;                /* sum the weights up */
	bool memory;                 /* sum the periods up by class of access to memory */
	bool with_parent;            /* rows whose samples have a parent */
	int (*progress)(void *ctx, double share);  /* called now and then; not 0: stop. NULL: nobody asks */
	void *progress_ctx;
};

/* Who runs: columns of shares that perf calls sys, usr, guest sys and guest usr. */
enum hist_mode { HIST_KERNEL, HIST_USER, HIST_GUEST_KERNEL, HIST_GUEST_USER, NR_HIST_MODES };

/* Periods of a row by class of access to memory. */
struct memory_sums { uint64_t of[NR_MEMORY_PARTS][MEMORY_CLASSES]; };

struct hist_entry {
	uint32_t cell;               /* the first one that is in it */
	uint32_t task;               /* of that cell */
	uint32_t last_task;          /* of the newest cell of the group */
	uint32_t frame;
	uint32_t group, part;
	uint64_t self, children;     /* periods; without children both are the same */
	uint64_t latency, latency_children;  /* the same of latencies */
	uint64_t samples;            /* that hit it */
	uint64_t modes[NR_HIST_MODES];  /* of self */
	uint64_t weights[3];         /* of the samples that hit it, see struct sonde_profile_detail; 0: not asked for */
	struct memory_sums *memory;  /* of self; NULL: not asked for, or no sample hit it */
	uint32_t branches;           /* number in hists.row_branches + 1; 0: its stacks have no branches */
	uint32_t depth;              /* of the longest stack in its tree */
	uint32_t tree, nr_tree;      /* its nodes in hists.tree; 0, 0 if there is none */
	struct weight inner;         /* of all nodes that hang on it, also those below the limit */
	uint32_t joined;             /* number that rows of several events have in common: see struct table */
};

/* A node of a row's tree, after the one that it hangs on. */
struct call_node {
	uint32_t parent;             /* number in hists.tree; UINT32_MAX: it hangs on the row */
	uint32_t frame;
	uint64_t value;              /* period */
	uint64_t samples;
	struct weight inner;         /* of all its nodes, also those below the limit */
};

struct hists {
	VEC(struct hist_entry) list;        /* as they are to be shown */
	VEC(struct call_node) tree;
	/* of a profile with branch_history: the ends of branches by node of the tree, and by row */
	VEC(struct branch_sums) branches, row_branches;
	VEC(struct memory_sums *) memory;    /* of the rows, and of those left out; owned */
	uint64_t total;              /* of what a percentage is */
	uint64_t total_latency;
	uint64_t samples;            /* whose periods that is */
};

/* The number that a key has for the samples of a cell; the key is not one of the row's function alone. */
uint64_t hist_key_of_cell(const struct hist_key *key, const struct hists_opts *opts, const struct stack_tree *tree,
			  const struct sonde_profile_cell *c);

static inline bool hist_key_is_of_cell(const struct hist_key *key)
{
	return key->of_cell || key->other_frame;
}

/* The order of rows that are equal in all keys: by name, then by number, the same in each run. Negative: a first. */
int hists_compare_names(const struct sonde_profile *p, const struct hist_entry *a, const struct hist_entry *b);

/* 0, -SONDE_NOMEM or -SONDE_STOPPED */
int hists_make(struct hists *hists, const struct sonde_profile *p, const struct hists_opts *opts);

/*
 * Makes the call tree of one row of @whole, which was made of the same profile with the same options but opts.graph:
 * @tree has this row, with its tree. 0, -SONDE_NOMEM or -SONDE_STOPPED; to be freed in any case
 */
int hists_make_tree(struct hists *tree, const struct hists *whole, const struct hist_entry *row,
		    const struct sonde_profile *p, const struct hists_opts *opts);
void hists_free(struct hists *hists);

#endif
