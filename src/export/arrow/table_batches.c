/* SPDX-License-Identifier: MIT */
#include "export/arrow/table_batches.h"

#include <stdlib.h>
#include <string.h>

static enum arrow_kind kind_of(enum sonde_table_kind kind)
{
	switch (kind) {
	case SONDE_TABLE_SHARE:
	case SONDE_TABLE_REAL:
		return ARROW_F64;
	case SONDE_TABLE_TEXT:
		return ARROW_WORD;
	case SONDE_TABLE_TASK:
		return ARROW_STRUCT;
	default:
		return ARROW_I64;
	}
}

int table_batches_init(struct table_batches *t, struct sonde_table *table, const struct sonde_arrow_opts *opts)
{
	const size_t n = table->info.columns;
	struct arrow_column *part;

	*t = (struct table_batches){ .table = table, .opts = *opts, .root = ARROW_COLUMN("", ARROW_STRUCT) };
	t->columns = calloc(n * (1 + TASK_PARTS) + 1, sizeof(*t->columns));
	if (!t->columns)
		return -SONDE_NOMEM;
	part = t->columns + n;
	t->root.children = t->columns;
	t->root.nr_children = n;
	for (size_t i = 0; i < n; i++) {
		t->columns[i] = ARROW_COLUMN(table->columns[i].name, kind_of(table->columns[i].kind));
		if (t->columns[i].kind != ARROW_STRUCT)
			continue;
		part[0] = ARROW_COLUMN("comm", ARROW_WORD);
		part[1] = ARROW_COLUMN("tid", ARROW_I32);
		part[2] = ARROW_COLUMN("pid", ARROW_I32);
		t->columns[i].children = part;
		t->columns[i].nr_children = TASK_PARTS;
		part += TASK_PARTS;
	}
	return 0;
}

void table_batches_free(struct table_batches *t)
{
	arrow_column_free(&t->root);
	free(t->columns);
}

static void put_task(struct arrow_column *c, const struct sonde_table_value *v)
{
	arrow_put_text(&c->children[0], v->text, strlen(v->text));
	arrow_put_int(&c->children[1], (uint64_t)v->tid);
	arrow_put_int_if(&c->children[2], v->pid >= 0, (uint64_t)v->pid);
	arrow_end_row(c);
}

static void put_real(struct arrow_column *c, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	arrow_put_int(c, bits);
}

static void put_value(struct arrow_column *c, const struct sonde_table_value *v)
{
	if (!v->known) {
		arrow_put_null(c);
		return;
	}
	switch (v->kind) {
	case SONDE_TABLE_TASK: put_task(c, v); break;
	case SONDE_TABLE_TEXT: arrow_put_text(c, v->text, strlen(v->text)); break;
	case SONDE_TABLE_SHARE: put_real(c, v->share); break;
	case SONDE_TABLE_REAL: put_real(c, v->real); break;
	default: arrow_put_int(c, (uint64_t)v->number);
	}
}

int table_batches_next(struct table_batches *t, struct ArrowArray *out)
{
	const size_t rows = t->table->info.rows;
	int r;

	while (t->next < rows && t->root.n < t->opts.batch_rows &&
	       arrow_column_bytes(&t->root) < t->opts.batch_bytes) {
		for (size_t i = 0; i < t->table->info.columns; i++)
			put_value(&t->columns[i], table_value(t->table, t->next, i));
		arrow_end_row(&t->root);
		t->next++;
	}
	if (!t->root.n)
		return 0;
	r = arrow_column_take(&t->root, out);
	return r < 0 ? r : 1;
}
