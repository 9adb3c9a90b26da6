/* SPDX-License-Identifier: MIT */
/* ledger.h - the losses of a trace, at the end of a command */
#ifndef CLI_BASE_LEDGER_H
#define CLI_BASE_LEDGER_H

#include <stdio.h>

#include <sonde/rewrite.h>

/*
 * Prints the loss ledger on stderr, if it has rows. Returns the exit status of a command that has read the trace to
 * its end: 1 if the input is damaged or could not be read completely, 0 if only the recorder lost events.
 */
int ledger_print(const struct sonde_trace *t);

/* The same for losses of a rewrite of the file at @path. */
int ledger_print_rewrite(const char *path, const struct sonde_rewrite *w);

/* Appends the rows of the ledger, of all kinds, as lines of text. */
void ledger_append(FILE *to, const struct sonde_trace *t);

/* The same exit status without printing: for commands whose output has the ledger. */
int ledger_status(const struct sonde_trace *t);

#endif
