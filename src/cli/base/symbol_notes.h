/* SPDX-License-Identifier: MIT */
/* symbol_notes.h - warnings about names and lines that are missing, when the symbols are freed */
#ifndef CLI_BASE_SYMBOL_NOTES_H
#define CLI_BASE_SYMBOL_NOTES_H

#include <stdbool.h>

#include <sonde/symbol.h>

/* The warnings of a command that chooses no others: what is missing for want of memory. */
void symbol_notes_of_memory(void *ctx, const struct sonde_symbol_note *n);

/* Whether there was such a warning: the exit status is 1. */
bool symbol_notes_short_of_memory(void);

/* Warns of every reason; call it before the command runs. */
void symbol_notes_warn(struct sonde_symbols_opts *opts);

/*
 * Warns only of files with lines and of addresses that a command without a profile finds in code made at run time, for
 * a command that tells about other names itself.
 */
void symbol_notes_warn_of_lines(struct sonde_symbols_opts *opts);

#endif
