/* SPDX-License-Identifier: MIT */
#include "cli/base/symbol_notes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"

/* Binaries that are named; a recording of a whole machine may have hundreds without names. */
enum { NAMED_MOST = 10 };

/* Of so many addresses one must be in code of a process without names for a message about that. */
enum { NOTED_SHARE = 1000 };

static size_t missing, nameless, doubts;

static bool short_of_memory;

void symbol_notes_of_memory(void *ctx, const struct sonde_symbol_note *n)
{
	(void)ctx;
	if (n->kind != SONDE_NOTE_MEMORY)
		return;
	fflush(stdout);
	say("%s: %s", n->dso, n->text);
	short_of_memory = true;
}

bool symbol_notes_short_of_memory(void)
{
	return short_of_memory;
}

static void warn_of_lines_and_made_code(void *ctx, const struct sonde_symbol_note *n)
{
	symbol_notes_of_memory(ctx, n);
	fflush(stdout);
	if (n->kind == SONDE_NOTE_LINES)
		warn("%s: %s", n->dso, n->text);
	if (n->kind == SONDE_NOTE_NAMES && n->unnamed && n->unnamed >= n->interrupted / NOTED_SHARE)
		warn("%.1f%% of the interrupted addresses have no symbol: %s",
		     100.0 * (double)n->unnamed / (double)n->interrupted, n->text);
}

static void warn_of_names(const struct sonde_symbol_note *n)
{
	if (n->dso[0] == '/' && access(n->dso, F_OK) != 0) {
		if (missing++ == 0)
			warn("%s: no symbols; the file is needed for names (--symfs DIR looks for it below DIR)",
			     n->dso);
		else if (missing == 2)
			warn("more files are missing: 'sonde symbols' lists them");
	} else if (nameless++ < NAMED_MOST) {
		warn("%s: no symbols: %s", n->dso, n->text);
	} else if (nameless == NAMED_MOST + 1) {
		warn("more binaries have no symbols: 'sonde symbols' tells why");
	}
}

static void warn_of(void *ctx, const struct sonde_symbol_note *n)
{
	warn_of_lines_and_made_code(ctx, n);
	if (n->kind == SONDE_NOTE_NAMES && !n->interrupted)
		warn_of_names(n);
	if (n->kind == SONDE_NOTE_DOUBT && doubts++ < NAMED_MOST)
		warn("%s", n->text);
}

void symbol_notes_warn(struct sonde_symbols_opts *opts)
{
	opts->noted = warn_of;
}

void symbol_notes_warn_of_lines(struct sonde_symbols_opts *opts)
{
	opts->noted = warn_of_lines_and_made_code;
}
