/* SPDX-License-Identifier: MIT */
#include "model/ledger.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_ROWS 1000   /* a hostile file can invent as many kinds of damage as it has bytes */

/* Braces of names stay. */
void ledger_words(char *out, const char *text, bool one)
{
	size_t n = 0;

	while (*text) {
		const char *bar = *text == '{' ? text + strcspn(text, "|}") : NULL;
		const char *end = bar && *bar == '|' ? strchr(bar, '}') : NULL;
		const char *from = !end ? text : one ? text + 1 : bar + 1;
		size_t len = !end ? 1 : (size_t)((one ? bar : end) - from);

		memcpy(out + n, from, len);
		n += len;
		text = end ? end + 1 : text + 1;
	}
	out[n] = '\0';
}

static const char *with_number(struct ledger *l, const char *text, bool one)
{
	char *out = strchr(text, '{') ? arena_alloc(&l->text, strlen(text) + 1) : NULL;

	if (!out)
		return text;
	ledger_words(out, text, one);
	return out;
}

static void count(struct ledger *l, size_t i, uint64_t count, uint64_t file_offset, uint64_t time)
{
	struct sonde_loss *row = &l->rows.at[i];
	bool was_one = row->count == 1;

	if (row->file_offset == SONDE_NONE)
		row->file_offset = file_offset;
	if (__builtin_add_overflow(row->count, count, &row->count))
		row->count = UINT64_MAX;
	if (was_one && row->count != 1)
		row->text = with_number(l, l->texts.at[i], false);
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
	struct sonde_loss row = { kind, n, file_offset, time, time, cpu, NULL, NULL };
	const char *kept;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = l->rows.n; i-- > 0;)
		if (l->rows.at[i].kind == kind && l->rows.at[i].cpu == cpu && strcmp(l->texts.at[i], text) == 0) {
			count(l, i, n, file_offset, time);
			return;
		}
	if (l->rows.n >= MAX_ROWS) {
		count(l, l->rows.n - 1, n, file_offset, time);
		return;
	}
	kept = arena_strndup(&l->text, text, strlen(text));
	if (!kept || vec_push(&l->texts, kept) < 0)
		return;
	row.text = with_number(l, kept, n == 1);
	if (vec_push(&l->rows, row) < 0)
		l->texts.n--;
}

void ledger_describe_first(struct ledger *l, uint64_t file_offset, const char *what)
{
	for (size_t i = l->rows.n; i-- > 0;)
		if (l->rows.at[i].file_offset == file_offset) {
			if (!l->rows.at[i].first)
				l->rows.at[i].first = arena_strndup(&l->text, what, strlen(what));
			return;
		}
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
	l->rows.n = l->texts.n = l->lasting.n;
	for (size_t i = 0; i < l->lasting.n; i++)
		l->rows.at[i] = l->lasting.at[i];
}

const char *ledger_kind_name(enum sonde_loss_kind kind)
{
	static const char *const names[] = {
		[SONDE_LOSS_RECORDER] = "recorder", [SONDE_LOSS_SAMPLES] = "samples",
		[SONDE_LOSS_THROTTLED] = "throttled", [SONDE_LOSS_TRUNCATED] = "truncated",
		[SONDE_LOSS_CORRUPT] = "corrupt", [SONDE_LOSS_FEATURE] = "feature",
		[SONDE_LOSS_UNKNOWN_ID] = "unknown_id", [SONDE_LOSS_ORDER] = "order",
		[SONDE_LOSS_UNSUPPORTED] = "unsupported",
	};

	return names[kind];
}

void ledger_free(struct ledger *l)
{
	vec_free(&l->rows);
	vec_free(&l->texts);
	vec_free(&l->lasting);
	arena_free(&l->text);
}
