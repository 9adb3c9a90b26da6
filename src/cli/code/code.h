/* SPDX-License-Identifier: MIT */
/* code.h - the instructions and source lines of a function on a screen, as copies: the profile may go on meanwhile */
#ifndef CLI_CODE_CODE_H
#define CLI_CODE_CODE_H

#include <pthread.h>
#include <sonde/annotate.h>

#include "cli/screen/list.h"

/* Where the samples are. */
struct code_source {
	struct sonde_profile *profile;  /* made with SONDE_BY_SYMBOL_OFFSET */
	pthread_mutex_t *lock;       /* held while the profile is looked at; NULL: it does not change */
	int wake_fd;                 /* readable: the view is over */
	const char *title;           /* of the help */
};

struct code_row {
	char *text;
	char *callee;                /* the function that a call goes to, or NULL */
	enum sonde_annotation_kind kind;
	enum sonde_annotation_flow flow;
	uint64_t addr, samples, period;
	double percent;
	size_t target;               /* row, or SONDE_NO_ROW */
	uint32_t line;               /* of the source; 0: not known */
	uint64_t cycles;             /* of the block that ends here; 0: not recorded */
	double ipc;                  /* of that block; 0: not known */
};

/* The figures of the column. */
enum code_figure { CODE_PERCENT, CODE_SAMPLES, CODE_PERIOD, CODE_CYCLES, NR_CODE_FIGURES };

struct code {
	struct code_row *rows;
	size_t nr_rows;
	char *symbol, *dso, *dso_name, *file, *note;
	uint64_t start, samples;
	double share;
	bool has_cycles;             /* of blocks, from branch stacks */
};

/* Takes the rows of a function. 0, or negative with a reason. @code: to be freed by code_free() in any case */
int code_take(struct code *code, const struct code_source *source, const struct sonde_annotate_opts *opts, char *why,
	      size_t size);

/* The row with most samples; 0 without samples. */
size_t code_hottest(const struct code *code);

/* The next row in the order of heat: with fewer samples, or as many and further down; @from if there is none. */
size_t code_next_hot(const struct code *code, size_t from, bool back);

void code_free(struct code *code);

#endif
