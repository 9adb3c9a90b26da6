/* SPDX-License-Identifier: MIT */
#include "fleet/row_sorter.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/strpool.h"
#include "base/vec.h"
#include "fleet/row_run.h"

/* Runs that are merged at a time: each has a page of every column in memory. */
#define RUNS_MAX 32

struct row_sorter {
	const struct parquet_column *columns;
	size_t nr_columns;
	const struct sort_order *order;
	uint64_t memory;
	struct sonde_error *err;
	VEC(int64_t) cells;          /* nr_columns for each row: a number, of a text, or where its list begins */
	VEC(int64_t) lists;          /* the length of each, and its elements */
	struct strpool texts;
	uint32_t *ranks;             /* of texts, in their order: while rows are sorted */
	uint32_t *sorted;            /* numbers of rows in order */
	size_t nr_sorted, next;      /* in memory, when the rows are read */
	VEC(struct row_run *) runs;
	struct row_run *run;         /* that has the row; NULL: it is in memory */
	struct row_run_key last;     /* of the row before */
	bool has_last;
	int failed;                  /* 0 or the first failure */
};

struct row_sorter *row_sorter_new(const struct parquet_column *columns, size_t nr_columns,
				  const struct sort_order *order, uint64_t memory, struct sonde_error *err)
{
	struct row_sorter *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct row_sorter){ .columns = columns, .nr_columns = nr_columns, .order = order,
					  .memory = memory, .err = err };
	return s;
}

static void fail_nomem(struct row_sorter *s)
{
	if (!s->failed)
		s->failed = err_nomem(s->err);
}

static int64_t *cell(struct row_sorter *s, size_t column)
{
	if (s->cells.cap - s->cells.n < s->nr_columns && vec_reserve(&s->cells, s->nr_columns) < 0) {
		fail_nomem(s);
		return NULL;
	}
	return &s->cells.at[s->cells.n + column];
}

void row_sorter_put_int(struct row_sorter *s, size_t column, int64_t value)
{
	int64_t *c = cell(s, column);

	if (c)
		*c = value;
}

void row_sorter_put_text(struct row_sorter *s, size_t column, struct sonde_str text)
{
	uint32_t number = strpool_add(&s->texts, text.p, text.len);

	if (number == UINT32_MAX)
		fail_nomem(s);
	else
		row_sorter_put_int(s, column, number);
}

void row_sorter_put_list(struct row_sorter *s, size_t column, const int64_t *values, size_t n)
{
	row_sorter_put_int(s, column, (int64_t)s->lists.n);
	if (vec_reserve(&s->lists, n + 1) < 0) {
		fail_nomem(s);
		return;
	}
	s->lists.at[s->lists.n++] = (int64_t)n;
	if (n)
		memcpy(s->lists.at + s->lists.n, values, n * sizeof(*values));
	s->lists.n += n;
}

int row_sorter_end_row(struct row_sorter *s)
{
	if (!s->failed)
		s->cells.n += s->nr_columns;
	return s->failed;
}

size_t row_sorter_rows(const struct row_sorter *s)
{
	return s->cells.n / s->nr_columns;
}

static uint64_t row_bytes(const struct row_sorter *s)
{
	return s->nr_columns * sizeof(int64_t) + sizeof(*s->sorted);
}

uint64_t row_sorter_bytes(const struct row_sorter *s)
{
	return row_sorter_rows(s) * row_bytes(s) + s->lists.n * sizeof(*s->lists.at) + s->texts.text.bytes +
	       s->texts.names.n * (sizeof(char *) + sizeof(uint32_t)) + s->texts.index.cap * sizeof(struct hash_slot);
}

bool row_sorter_has_room(const struct row_sorter *s, uint64_t nr_rows)
{
	uint64_t used = row_sorter_bytes(s);

	return used < s->memory && nr_rows <= (s->memory - used) / row_bytes(s);
}

void row_sorter_truncate(struct row_sorter *s, size_t n)
{
	s->cells.n = n * s->nr_columns;
}

/* ---- order ---- */

struct ranked_text {
	const char *text;
	uint32_t number;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct ranked_text *)a)->text, ((const struct ranked_text *)b)->text);
}

/* The place of each text among all of them, so that numbers are compared. */
static int rank_texts(struct row_sorter *s)
{
	size_t n = s->texts.names.n;
	struct ranked_text *ranked = malloc((n + 1) * sizeof(*ranked));

	free(s->ranks);
	s->ranks = malloc((n + 1) * sizeof(*s->ranks));
	if (!ranked || !s->ranks) {
		free(ranked);
		return err_nomem(s->err);
	}
	for (size_t i = 0; i < n; i++)
		ranked[i] = (struct ranked_text){ s->texts.names.at[i], (uint32_t)i };
	qsort(ranked, n, sizeof(*ranked), by_text);
	for (size_t i = 0; i < n; i++)
		s->ranks[ranked[i].number] = (uint32_t)i;
	free(ranked);
	return 0;
}

static int compare_cells(const struct row_sorter *s, uint32_t a, uint32_t b, size_t nr_columns)
{
	const int64_t *x = s->cells.at + a * s->nr_columns, *y = s->cells.at + b * s->nr_columns;

	for (size_t i = 0; i < nr_columns; i++) {
		const struct sort_column *by = &s->order->columns[i];
		int64_t v = x[by->column], w = y[by->column];

		if (v == w)
			continue;
		if (s->columns[by->column].type == PARQUET_STRING) {
			v = s->ranks[v];
			w = s->ranks[w];
		}
		return (v < w) == by->descending ? 1 : -1;
	}
	return 0;
}

static int by_order(const void *a, const void *b, void *ctx)
{
	const struct row_sorter *s = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r = compare_cells(s, x, y, s->order->n);

	return r ? r : (x > y) - (x < y);
}

/* Sorts the rows in memory. */
static int sort_rows(struct row_sorter *s)
{
	size_t n = row_sorter_rows(s);
	int r = n < UINT32_MAX ? rank_texts(s) : err_nomem(s->err);

	if (r < 0)
		return r;
	free(s->sorted);
	s->sorted = malloc((n + 1) * sizeof(*s->sorted));
	if (!s->sorted)
		return err_nomem(s->err);
	for (size_t i = 0; i < n; i++)
		s->sorted[i] = (uint32_t)i;
	qsort_r(s->sorted, n, sizeof(*s->sorted), by_order, s);
	s->nr_sorted = n;
	s->next = 0;
	return 0;
}

/* ---- runs ---- */

/* Writes the rows that row_sorter_next() gives to a new run. */
static struct row_run *write_run(struct row_sorter *s)
{
	struct row_run *run = row_run_new(s->columns, s->nr_columns, s->err);
	int r = run ? 0 : err_nomem(s->err);

	while (r == 0 && (r = row_sorter_next(s)) > 0) {
		for (size_t i = 0; i < s->nr_columns; i++)
			row_sorter_write(s, i, row_run_writer(run), i);
		r = row_run_end_row(run);
	}
	if (r == 0)
		r = row_run_rewind(run);
	if (r < 0) {
		s->failed = r;
		row_run_free(run);
		return NULL;
	}
	return run;
}

static void clear_rows(struct row_sorter *s)
{
	s->cells.n = s->lists.n = s->nr_sorted = 0;
	strpool_free(&s->texts);
	s->texts = (struct strpool){ 0 };
	s->has_last = false;
}

static void free_runs(struct row_sorter *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		row_run_free(s->runs.at[i]);
}

/* Makes one run of all. */
static int merge_runs(struct row_sorter *s)
{
	struct row_run *all = write_run(s);

	s->has_last = false;
	if (!all)
		return s->failed;
	free_runs(s, s->runs.n);
	s->runs.at[0] = all;
	s->runs.n = 1;
	return 0;
}

int row_sorter_spill(struct row_sorter *s)
{
	size_t nr_runs = s->runs.n;
	struct row_run *run;

	if (s->failed || row_sorter_rows(s) == 0)
		return s->failed;
	s->failed = sort_rows(s);
	if (s->failed)
		return s->failed;
	s->runs.n = 0;               /* only the rows in memory go to the new one */
	run = write_run(s);
	s->runs.n = nr_runs;
	if (!run)
		return s->failed;
	clear_rows(s);
	if (vec_push(&s->runs, run) < 0) {
		row_run_free(run);
		return s->failed = err_nomem(s->err);
	}
	return s->runs.n < RUNS_MAX ? 0 : merge_runs(s);
}

int row_sorter_begin(struct row_sorter *s)
{
	if (s->runs.n)
		return row_sorter_spill(s);
	if (!s->failed)
		s->failed = sort_rows(s);
	return s->failed;
}

/* ---- reading ---- */

/* The run whose row comes first; of equal ones the first run, which is the older one. NULL: all runs have ended. */
static struct row_run *first_run(const struct row_sorter *s)
{
	struct row_run *first = NULL;

	for (size_t i = 0; i < s->runs.n; i++) {
		struct row_run *run = s->runs.at[i];

		if (row_run_has_row(run) && (!first || row_run_compare(run, first, s->order) < 0))
			first = run;
	}
	return first;
}

/* A row of the runs, or 0 at their end. */
static int next_of_runs(struct row_sorter *s)
{
	int r = s->run ? row_run_step(s->run) : 0;

	s->run = r < 0 ? NULL : first_run(s);
	return r < 0 ? r : s->run != NULL;
}

static bool is_known(struct row_sorter *s)
{
	bool known = s->has_last && row_run_key_is(&s->last, s->run, s->order);

	if (!known)
		s->failed = row_run_key_set(&s->last, s->run, s->order, s->err);
	s->has_last = true;
	return known;
}

int row_sorter_next(struct row_sorter *s)
{
	int r;

	if (s->failed)
		return s->failed;
	if (s->runs.n) {
		while ((r = next_of_runs(s)) > 0)
			if (!s->order->nr_unique || !is_known(s))
				break;
		if (r < 0)
			s->failed = r;
		return s->failed ? s->failed : r;
	}
	s->run = NULL;
	for (; s->next < s->nr_sorted; s->next++) {
		size_t i = s->next;

		if (i && s->order->nr_unique &&
		    compare_cells(s, s->sorted[i - 1], s->sorted[i], s->order->nr_unique) == 0)
			continue;
		s->next++;
		return 1;
	}
	return 0;
}

static int64_t cell_of(const struct row_sorter *s, size_t column)
{
	return s->cells.at[s->sorted[s->next - 1] * s->nr_columns + column];
}

int64_t row_sorter_int(const struct row_sorter *s, size_t column)
{
	return s->run ? row_run_int(s->run, column) : cell_of(s, column);
}

struct sonde_str row_sorter_text(const struct row_sorter *s, size_t column)
{
	const char *text;

	if (s->run)
		return row_run_text(s->run, column);
	text = strpool_get(&s->texts, (uint32_t)cell_of(s, column));
	return (struct sonde_str){ text, strlen(text) };
}

const int64_t *row_sorter_list(const struct row_sorter *s, size_t column, size_t *n)
{
	const int64_t *list;

	if (s->run)
		return row_run_list(s->run, column, n);
	list = s->lists.at + cell_of(s, column);
	*n = (size_t)list[0];
	return list + 1;
}

void row_sorter_write(const struct row_sorter *s, size_t column, struct parquet_writer *w, size_t to)
{
	struct sonde_str text;
	const int64_t *list;
	size_t n;

	switch (s->columns[column].type) {
	case PARQUET_STRING:
		text = row_sorter_text(s, column);
		parquet_put_text(w, to, text.p, text.len);
		break;
	case PARQUET_INT64_LIST:
		list = row_sorter_list(s, column, &n);
		parquet_put_list(w, to, list, n);
		break;
	default:
		parquet_put_int(w, to, row_sorter_int(s, column));
	}
}

void row_sorter_free(struct row_sorter *s)
{
	if (!s)
		return;
	free_runs(s, s->runs.n);
	vec_free(&s->runs);
	clear_rows(s);
	vec_free(&s->cells);
	vec_free(&s->lists);
	free(s->ranks);
	free(s->sorted);
	row_run_key_free(&s->last);
	free(s);
}
