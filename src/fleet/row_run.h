/* SPDX-License-Identifier: MIT */
/* row_run.h - sorted rows in a Parquet file without a name, and the row at which a merge of several runs is */
#ifndef FLEET_ROW_RUN_H
#define FLEET_ROW_RUN_H

#include "base/vec.h"
#include "fleet/row_sorter.h"

struct row_run;

/* As row_sorter_new(). NULL: out of memory; a failure to make the file comes with the first row. */
struct row_run *row_run_new(const struct parquet_column *columns, size_t nr_columns, struct sonde_error *err);

/* Takes the values of a row, until row_run_rewind(). Rows come in their order. */
struct parquet_writer *row_run_writer(struct row_run *run);
int row_run_end_row(struct row_run *run);

/* All rows are written: reading begins at the first one. 0 or the failure. */
int row_run_rewind(struct row_run *run);

/* Whether there is a row: false behind the last one. */
bool row_run_has_row(const struct row_run *run);

/* Goes to the next row, or behind the last one. 0 or the failure. */
int row_run_step(struct row_run *run);

/* Values of the row; views until the next step. */
int64_t row_run_int(const struct row_run *run, size_t column);
struct sonde_str row_run_text(const struct row_run *run, size_t column);
const int64_t *row_run_list(const struct row_run *run, size_t column, size_t *n);

/* The order of the rows of two runs: negative, 0, positive. */
int row_run_compare(const struct row_run *a, const struct row_run *b, const struct sort_order *order);

/* The columns of a row by which it is unique, kept beyond the row. {0} is none. */
struct row_run_key {
	VEC(int64_t) numbers;        /* a number, or the length of a text */
	VEC(char) texts;
};

bool row_run_key_is(const struct row_run_key *key, const struct row_run *run, const struct sort_order *order);
int row_run_key_set(struct row_run_key *key, const struct row_run *run, const struct sort_order *order,
		    struct sonde_error *err);
void row_run_key_free(struct row_run_key *key);

/* NULL is accepted. */
void row_run_free(struct row_run *run);

#endif
