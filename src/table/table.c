/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <string.h>

#include "base/bytes.h"

static const char *const kinds[] = {
	[SONDE_TABLE_COUNT] = "count", [SONDE_TABLE_NUMBER] = "number", [SONDE_TABLE_TIME] = "time_ns",
	[SONDE_TABLE_DURATION] = "duration_ns", [SONDE_TABLE_SHARE] = "percent", [SONDE_TABLE_TASK] = "task",
	[SONDE_TABLE_TEXT] = "text", [SONDE_TABLE_REAL] = "real",
};

const char *table_kind_name(enum sonde_table_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) ? kinds[kind] : NULL;
}

void table_init(struct sonde_table *t, const struct table_schema *schema)
{
	*t = (struct sonde_table){ .info = { .name = schema->name, .title = schema->title },
				   .columns = schema->columns };
	while (t->columns[t->info.columns].name)
		t->info.columns++;
}

void table_release(struct sonde_table *t)
{
	vec_free(&t->values);
	vec_free(&t->known);
	vec_free(&t->tasks);
	strpool_free(&t->texts);
}

int table_row(struct sonde_table *t)
{
	const size_t n = t->info.columns;

	if (vec_reserve(&t->values, n) < 0 || vec_reserve(&t->known, n) < 0)
		return -SONDE_NOMEM;
	memset(t->values.at + t->values.n, 0, n * sizeof(*t->values.at));
	memset(t->known.at + t->known.n, 0, n * sizeof(*t->known.at));
	t->values.n += n;
	t->known.n += n;
	t->info.rows++;
	return 0;
}

void table_put(struct sonde_table *t, size_t column, uint64_t value)
{
	const size_t i = t->values.n - t->info.columns + column;

	t->values.at[i] = value;
	t->known.at[i] = true;
}

void table_put_real(struct sonde_table *t, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	table_put(t, column, bits);
}

void table_put_share(struct sonde_table *t, size_t column, double percent)
{
	table_put_real(t, column, percent);
}

int table_put_text(struct sonde_table *t, size_t column, const char *text)
{
	const uint32_t number = strpool_add(&t->texts, text, strlen(text));

	if (number == UINT32_MAX)
		return -SONDE_NOMEM;
	table_put(t, column, number);
	return 0;
}

void table_put_task(struct sonde_table *t, size_t column, uint32_t task)
{
	table_put(t, column, task);
}

uint32_t table_task(struct sonde_table *t, int32_t tid, int32_t pid, const char *comm)
{
	const uint32_t name = strpool_add(&t->texts, comm, strlen(comm));

	if (name == UINT32_MAX || vec_push(&t->tasks, ((struct table_task){ name, tid, pid })) < 0)
		return UINT32_MAX;
	return (uint32_t)t->tasks.n - 1;
}

const struct sonde_table_value *table_value(struct sonde_table *t, size_t row, size_t column)
{
	const size_t i = row * t->info.columns + column;
	struct sonde_table_value *v = &t->value;
	const struct table_task *task;

	if (row >= t->info.rows || column >= t->info.columns)
		return NULL;
	*v = (struct sonde_table_value){ .known = t->known.at[i], .kind = t->columns[column].kind };
	if (!v->known)
		return v;
	switch (v->kind) {
	case SONDE_TABLE_SHARE:
		memcpy(&v->share, &t->values.at[i], sizeof(v->share));
		break;
	case SONDE_TABLE_REAL:
		memcpy(&v->real, &t->values.at[i], sizeof(v->real));
		break;
	case SONDE_TABLE_TEXT:
		v->text = strpool_get(&t->texts, (uint32_t)t->values.at[i]);
		break;
	case SONDE_TABLE_TASK:
		task = &t->tasks.at[t->values.at[i]];
		v->text = strpool_get(&t->texts, task->comm);
		v->tid = task->tid;
		v->pid = task->pid;
		break;
	default:
		v->number = (int64_t)t->values.at[i];
	}
	return v;
}

/* The rows of a table while their order is found. */
struct row_order {
	const struct sonde_table *table;
	const size_t *columns;
	size_t nr_columns;
	size_t row;
};

static double real_at(const struct sonde_table *t, size_t cell)
{
	double real;

	memcpy(&real, &t->values.at[cell], sizeof(real));
	return real;
}

static int compare_cells(const struct sonde_table *t, size_t column, size_t row_a, size_t row_b)
{
	const size_t a = row_a * t->info.columns + column, b = row_b * t->info.columns + column;
	const int64_t x = (int64_t)t->values.at[a], y = (int64_t)t->values.at[b];

	if (t->known.at[a] != t->known.at[b])
		return t->known.at[a] ? -1 : 1;
	if (t->columns[column].kind == SONDE_TABLE_SHARE || t->columns[column].kind == SONDE_TABLE_REAL)
		return (real_at(t, a) < real_at(t, b)) - (real_at(t, a) > real_at(t, b));
	return (x < y) - (x > y);
}

static int compare(const void *va, const void *vb)
{
	const struct row_order *a = va, *b = vb;
	int r = 0;

	for (size_t i = 0; i < a->nr_columns && r == 0; i++)
		r = compare_cells(a->table, a->columns[i], a->row, b->row);
	return r ? r : (a->row > b->row) - (a->row < b->row);
}

int table_sort(struct sonde_table *t, const size_t *columns, size_t nr_columns)
{
	const size_t n = t->info.columns, rows = t->info.rows;
	struct row_order *order = calloc(rows + 1, sizeof(*order));
	uint64_t *values = calloc(rows * n + 1, sizeof(*values));
	bool *known = calloc(rows * n + 1, sizeof(*known));
	int r = order && values && known ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < rows; i++)
		order[i] = (struct row_order){ t, columns, nr_columns, i };
	if (r == 0)
		qsort(order, rows, sizeof(*order), compare);
	for (size_t i = 0; r == 0 && i < rows; i++) {
		memcpy(values + i * n, t->values.at + order[i].row * n, n * sizeof(*values));
		memcpy(known + i * n, t->known.at + order[i].row * n, n * sizeof(*known));
	}
	if (r == 0 && rows) {
		memcpy(t->values.at, values, rows * n * sizeof(*values));
		memcpy(t->known.at, known, rows * n * sizeof(*known));
	}
	free(order);
	free(values);
	free(known);
	return r;
}
