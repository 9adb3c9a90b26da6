/* SPDX-License-Identifier: MIT */
#include "model/ledger.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_ROWS 1000   /* a hostile file can invent as many kinds of damage as it has bytes */

static bool same_row(const struct sonde_loss *row, enum sonde_loss_kind kind, int32_t cpu, const char *text)
{
	return row->kind == kind && row->cpu == cpu && strcmp(row->text, text) == 0;
}

static void count(struct sonde_loss *row, uint64_t count, uint64_t file_offset, uint64_t time)
{
	if (row->file_offset == SONDE_NONE)
		row->file_offset = file_offset;
	if (__builtin_add_overflow(row->count, count, &row->count))
		row->count = UINT64_MAX;
	if (time == SONDE_NONE)
		return;
	if (row->time_first == SONDE_NONE || time < row->time_first)
		row->time_first = time;
	if (row->time_last == SONDE_NONE || time > row->time_last)
		row->time_last = time;
}

void ledger_add(struct ledger *l, enum sonde_loss_kind kind, uint64_t n, uint64_t file_offset, uint64_t time,
		int32_t cpu, const char *fmt, ...)
{
	struct sonde_loss row = { kind, n, file_offset, time, time, cpu, NULL };
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = l->rows.n; i-- > 0;)
		if (same_row(&l->rows.at[i], kind, cpu, text)) {
			count(&l->rows.at[i], n, file_offset, time);
			return;
		}
	if (l->rows.n >= MAX_ROWS) {
		count(&l->rows.at[l->rows.n - 1], n, file_offset, time);
		return;
	}
	row.text = arena_strndup(&l->text, text, strlen(text));
	if (row.text)
		(void)vec_push(&l->rows, row);
}

void ledger_mark_lasting(struct ledger *l)
{
	l->lasting.n = 0;
	for (size_t i = 0; i < l->rows.n; i++)
		if (vec_push(&l->lasting, l->rows.at[i]) < 0)
			return;
}

void ledger_restart(struct ledger *l)
{
	l->rows.n = l->lasting.n;
	for (size_t i = 0; i < l->lasting.n; i++)
		l->rows.at[i] = l->lasting.at[i];
}

void ledger_free(struct ledger *l)
{
	vec_free(&l->rows);
	vec_free(&l->lasting);
	arena_free(&l->text);
}
