/* SPDX-License-Identifier: MIT */
/* rewriting.h - common parts of the commands that write a new trace */
#ifndef CLI_BASE_REWRITING_H
#define CLI_BASE_REWRITING_H

#include <sonde/rewrite.h>

/* A run that shows its progress on a terminal; NULL when out of memory, which rewriting_end() reports. */
struct sonde_rewrite *rewriting_begin(void);

/*
 * Ends a run on the input @path; @result is the library's: prints the error, or the losses, and frees @w, which may be
 * NULL (out of memory). Returns the exit status; with losses that is 1 if @strict.
 */
int rewriting_end(struct sonde_rewrite *w, const char *path, int result, bool strict);

/* For each input of a run that succeeded: says so if it has a bundle, which the output has not. */
void say_bundle_left_out(const char *path);

#endif
