/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <string.h>

void table_init(struct sonde_table *t, const char *name, const char *title, const struct sonde_table_column *columns)
{
	*t = (struct sonde_table){ .info = { .name = name, .title = title }, .columns = columns };
	while (columns[t->info.columns].name)
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

void table_put_share(struct sonde_table *t, size_t column, double percent)
{
	uint64_t bits;

	memcpy(&bits, &percent, sizeof(bits));
	table_put(t, column, bits);
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

struct row_order {
	bool known;
	int64_t value;
	size_t row;
};

static int compare(const void *va, const void *vb)
{
	const struct row_order *a = va, *b = vb;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

int table_sort(struct sonde_table *t, size_t column)
{
	const size_t n = t->info.columns, rows = t->info.rows;
	struct row_order *order = calloc(rows + 1, sizeof(*order));
	uint64_t *values = calloc(rows * n + 1, sizeof(*values));
	bool *known = calloc(rows * n + 1, sizeof(*known));
	int r = order && values && known ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < rows; i++)
		order[i] = (struct row_order){ t->known.at[i * n + column], (int64_t)t->values.at[i * n + column], i };
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
