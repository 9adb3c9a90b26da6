/* SPDX-License-Identifier: MIT */
#include "cli/base/ledger.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/command.h"

enum { ROWS_SHOWN = 40 };  /* one for each kind and CPU: a large machine would fill the screen */

static void print_time(char *text, size_t size, uint64_t ns)
{
	snprintf(text, size, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

/* " (first at offset 0x1f40: MMAP2 (10) of 16 bytes, cpu 3, time 12.5 to 13.0)": the known parts of it */
static void describe_place(const struct sonde_loss *l, char *text, size_t size)
{
	char first[32], last[32];
	size_t n = 0;

	text[0] = '\0';
	if (l->file_offset != SONDE_NONE)
		n += (size_t)snprintf(text, size, " (first at offset 0x%" PRIx64 "%s%s", l->file_offset,
				      l->first ? ": " : "", l->first ? l->first : "");
	if (l->cpu >= 0)
		n += (size_t)snprintf(text + n, size - n, "%scpu %d", n ? ", " : " (", l->cpu);
	if (l->time_first != SONDE_NONE) {
		print_time(first, sizeof(first), l->time_first);
		n += (size_t)snprintf(text + n, size - n, "%stime %s", n ? ", " : " (", first);
		if (l->time_last != SONDE_NONE && l->time_last != l->time_first) {
			print_time(last, sizeof(last), l->time_last);
			n += (size_t)snprintf(text + n, size - n, " to %s", last);
		}
	}
	if (n)
		snprintf(text + n, size - n, ")");
}

static bool is_damage(enum sonde_loss_kind kind)
{
	switch (kind) {
	case SONDE_LOSS_TRUNCATED:
	case SONDE_LOSS_CORRUPT:
	case SONDE_LOSS_FEATURE:
	case SONDE_LOSS_UNKNOWN_ID:
	case SONDE_LOSS_UNSUPPORTED:
		return true;
	case SONDE_LOSS_RECORDER:
	case SONDE_LOSS_SAMPLES:
	case SONDE_LOSS_THROTTLED:
	case SONDE_LOSS_ORDER:
		break;
	}
	return false;
}

int ledger_status(const struct sonde_trace *t)
{
	const struct sonde_loss *loss;

	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++)
		if (is_damage(loss->kind))
			return 1;
	return 0;
}

/* Prints the i-th row of a ledger; returns 1 if it is damage. */
static int print_row(const char *path, size_t i, const struct sonde_loss *loss)
{
	char place[288];

	if (i < ROWS_SHOWN) {
		describe_place(loss, place, sizeof(place));
		warn("%s: %" PRIu64 " %s%s", path, loss->count, loss->text, place);
	}
	return is_damage(loss->kind);
}

static void print_rest(const char *path, size_t n)
{
	if (n > ROWS_SHOWN)
		warn("%s: and %zu more kinds of losses", path, n - ROWS_SHOWN);
}

int ledger_print(const struct sonde_trace *t)
{
	const char *path = sonde_trace_info(t)->path;
	const struct sonde_loss *loss;
	int status = 0;

	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++)
		status |= print_row(path, i, loss);
	print_rest(path, sonde_trace_loss_count(t));
	return status;
}

void ledger_append(FILE *to, const struct sonde_trace *t)
{
	const struct sonde_loss *loss;
	char place[288];

	for (size_t i = 0; (loss = sonde_trace_loss_at(t, i)); i++) {
		describe_place(loss, place, sizeof(place));
		fprintf(to, "%" PRIu64 " %s%s\n", loss->count, loss->text, place);
	}
}

int ledger_print_rewrite(const char *path, const struct sonde_rewrite *w)
{
	const struct sonde_loss *loss;
	int status = 0;

	for (size_t i = 0; (loss = sonde_rewrite_loss_at(w, i)); i++)
		status |= print_row(path, i, loss);
	print_rest(path, sonde_rewrite_loss_count(w));
	return status;
}
