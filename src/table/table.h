/* SPDX-License-Identifier: MIT */
/*
 * table.h - a typed table: what an analysis gives, whatever it is written as
 *
 *	analysis  --->  table_row(), table_put_*()  --->  struct sonde_table  --->  table_text.h, _json.h, _csv.h
 *
 * Columns are rows of a constant table. A value that was not put is not there. A row is 9 bytes for each column; texts
 * and tasks are kept once.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include <sonde/table.h>

#include "base/strpool.h"
#include "base/vec.h"

struct table_schema {
	struct sonde_table_schema;
	const struct sonde_table_column *columns;    /* ends with a row of zeros */
};

struct table_task {
	uint32_t comm;               /* in texts */
	int32_t tid, pid;            /* pid -1: not known */
};

struct sonde_table {
	struct sonde_table_info info;
	const struct sonde_table_column *columns;
	VEC(uint64_t) values;        /* row by row */
	VEC(bool) known;
	VEC(struct table_task) tasks;
	struct strpool texts;
	struct sonde_table_value value;  /* that was handed out last */
};

/* As sonde_table_kind_name(). */
const char *table_kind_name(enum sonde_table_kind kind);

/* @schema: borrowed */
void table_init(struct sonde_table *t, const struct table_schema *schema);
void table_release(struct sonde_table *t);

/* Adds a row without values, which is the one that table_put_*() fill. 0 or -SONDE_NOMEM. */
int table_row(struct sonde_table *t);

/* Of COUNT, NUMBER, TIME and DURATION. */
void table_put(struct sonde_table *t, size_t column, uint64_t value);
void table_put_share(struct sonde_table *t, size_t column, double percent);
void table_put_real(struct sonde_table *t, size_t column, double value);
/* 0 or -SONDE_NOMEM. */
int table_put_text(struct sonde_table *t, size_t column, const char *text);
/* @task: a number that table_task() gave */
void table_put_task(struct sonde_table *t, size_t column, uint32_t task);

/* A new task for table_put_task(); UINT32_MAX when out of memory. */
uint32_t table_task(struct sonde_table *t, int32_t tid, int32_t pid, const char *comm);

/* The same for all rows, beyond which there is nothing: NULL. Valid until the next call. */
const struct sonde_table_value *table_value(struct sonde_table *t, size_t row, size_t column);

/*
 * Sorts rows by columns of numbers, the largest first and those without a value last; where the first columns are
 * equal the next one decides, and at last the order that the rows had. 0 or -SONDE_NOMEM.
 */
int table_sort(struct sonde_table *t, const size_t *columns, size_t n);

#endif
