/* SPDX-License-Identifier: MIT */
/* rewriting.h - what the commands that write a new perf.data share. */
#ifndef CLI_REWRITING_H
#define CLI_REWRITING_H

#include <sonde/rewrite.h>

/* A run that tells a terminal how far it is; NULL when out of memory, which rewriting_end() says. */
struct sonde_rewrite *rewriting_begin(void);

/*
 * The end of a run on the input @path, of which @result is what the library returned: prints why it failed, or what was
 * lost on the way, and frees @w, which may be NULL (out of memory). Returns the exit status; with losses that is 1 if
 * @strict.
 */
int rewriting_end(struct sonde_rewrite *w, const char *path, int result, bool strict);

#endif
