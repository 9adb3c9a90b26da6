/* SPDX-License-Identifier: MIT */
#include "table/table_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"

#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u

static void put_right(struct buf *out, const char *text, int width)
{
	buf_str_right(out, text, strlen(text), width);
}

void text_duration(struct buf *out, uint64_t ns, int width)
{
	char text[40];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS / 1000);
	put_right(out, text, width);
}

void text_time(struct buf *out, uint64_t ns, int width)
{
	char text[40];

	snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / NS_PER_S, ns % NS_PER_S / 1000);
	put_right(out, text, width);
}

void text_task(struct buf *out, const struct sonde_table_value *task)
{
	if (task->tid == 0) {
		buf_str(out, "<idle>");
		return;
	}
	if (*task->text)
		buf_text(out, task->text, strlen(task->text));
	else
		buf_printf(out, ":%" PRId32, task->tid);
	if (task->pid >= 0 && task->pid != task->tid)
		buf_printf(out, "[%" PRId32 "/%" PRId32 "]", task->tid, task->pid);
	else
		buf_printf(out, "[%" PRId32 "]", task->tid);
}

static void put_name(struct buf *out, const struct sonde_table_value *v, int width)
{
	struct buf name = BUF_MEMORY;

	if (v->kind == SONDE_TABLE_TASK)
		text_task(&name, v);
	else
		buf_text(&name, v->text, strlen(v->text));
	buf_take_failure(out, &name);
	if (!name.failed)
		buf_str_right(out, name.p ? name.p : "", name.n, width);
	buf_free(&name);
}

static void put_value(struct buf *out, const struct sonde_table_value *v, int width)
{
	char text[40];

	if (!v->known) {
		put_right(out, "-", width);
		return;
	}
	switch (v->kind) {
	case SONDE_TABLE_TIME:
		text_time(out, (uint64_t)v->number, width);
		break;
	case SONDE_TABLE_DURATION:
		text_duration(out, (uint64_t)v->number, width);
		break;
	case SONDE_TABLE_SHARE:
		buf_printf(out, "%*.2f", width, v->share);
		break;
	case SONDE_TABLE_REAL:
		buf_printf(out, "%*.2f", width, v->real);
		break;
	case SONDE_TABLE_TASK:
	case SONDE_TABLE_TEXT:
		put_name(out, v, width);
		break;
	default:
		snprintf(text, sizeof(text), "%" PRId64, v->number);
		put_right(out, text, width);
	}
}

/* The columns that a text has: those with a title. Steps from one to the next; returns whether there is one. */
static bool next_column(const struct sonde_table *t, size_t *i, struct buf *out)
{
	const bool first = *i == SIZE_MAX;

	for (*i = first ? 0 : *i + 1; *i < t->info.columns && !*t->columns[*i].title; ++*i)
		;
	if (*i == t->info.columns)
		return false;
	if (out)
		buf_pad(out, ' ', first ? 0 : 2);
	return true;
}

void table_text_head(const struct sonde_table *t, struct buf *out)
{
	size_t width = 0, last = SIZE_MAX;

	for (size_t i = SIZE_MAX; next_column(t, &i, out);) {
		put_right(out, t->columns[i].title, t->columns[i].width);
		width += (size_t)t->columns[i].width + (width ? 2 : 0);
		last = t->columns[i].unit ? i : last;
	}
	buf_char(out, '\n');
	for (size_t i = SIZE_MAX; last != SIZE_MAX && i != last && next_column(t, &i, out);)
		put_right(out, t->columns[i].unit ? t->columns[i].unit : "", t->columns[i].width);
	buf_str(out, last == SIZE_MAX ? "" : "\n");
	buf_pad(out, '-', width);
	buf_char(out, '\n');
}

void table_text(struct sonde_table *t, struct buf *out)
{
	table_text_head(t, out);
	for (size_t row = 0; row < t->info.rows && !out->failed; row++) {
		for (size_t i = SIZE_MAX; next_column(t, &i, out);)
			put_value(out, table_value(t, row, i), t->columns[i].width);
		buf_char(out, '\n');
	}
}
