/* SPDX-License-Identifier: MIT */
/* ledger.h - what a command could not see of a trace, at its end. */
#ifndef CLI_LEDGER_H
#define CLI_LEDGER_H

#include <sonde/rewrite.h>

/*
 * Prints the loss ledger on stderr, nothing if nothing was lost. Returns the exit status of a command that read the
 * trace to its end: 1 if the input is damaged or was not all understood, 0 if only the recorder lost something.
 */
int ledger_print(const struct sonde_trace *t);

/* The same of what a rewriting could not take over from the file at @path. */
int ledger_print_rewrite(const char *path, const struct sonde_rewrite *w);

/* The same exit status without printing: for a command whose output has the ledger. */
int ledger_status(const struct sonde_trace *t);

#endif
