/* SPDX-License-Identifier: MIT */
/* folds.h - which rows and nodes of a screen are open: those that differ from what their screen does by itself */
#ifndef CLI_ROWS_FOLDS_H
#define CLI_ROWS_FOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folds {
	uint64_t *at;                /* sorted */
	size_t n, cap;
};

/* The number of a row or node: that of the node above it, 0 for none, and its name. */
uint64_t folds_number(uint64_t above, const char *name);

bool folds_has(const struct folds *f, uint64_t number);

/* Puts a number in, or takes it out. 0 or -SONDE_NOMEM */
int folds_toggle(struct folds *f, uint64_t number);

/* 0 or -SONDE_NOMEM */
int folds_copy(struct folds *to, const struct folds *from);

void folds_free(struct folds *f);

#endif
