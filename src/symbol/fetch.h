/* SPDX-License-Identifier: MIT */
/*
 * fetch.h - files of binaries from debuginfod servers, in the background
 *
 * Threads ask the servers that DEBUGINFOD_URLS names, by libdebuginfod, which keeps files in a cache that gdb and
 * others share. Whoever needs a file waits for it a moment and then goes on without it: the next run has it.
 */
#ifndef SYMBOL_FETCH_H
#define SYMBOL_FETCH_H

#include <limits.h>

#include <sonde/symbol.h>

enum fetch_kind { FETCH_DEBUGINFO, FETCH_EXECUTABLE };

/*
 * The path of a file that has been fetched before, by whomever; nobody is asked. The file may be of another build.
 * False if there is none.
 */
bool fetch_cached(char path[PATH_MAX], enum fetch_kind kind, const uint8_t *id, size_t id_size);

struct fetcher;

/*
 * Whether the cache, in @dir, is nobody else's: libdebuginfod would make directories of root in a user's home
 * (path_is_own()).
 */
bool fetch_cache_is_own(char dir[PATH_MAX]);

/* NULL if there is no memory, no server or no libdebuginfod. */
struct fetcher *fetcher_new(void);

/* As above; it is asked for if it is not there, and waited for while the time that all waits share is not over. */
bool fetcher_find(struct fetcher *f, char path[PATH_MAX], enum fetch_kind kind, const uint8_t *id, size_t id_size);

/*
 * Tells what became of the files, if one was asked for: while files are awaited, and when none is any more. They are
 * waited for if tell() returns 0.
 */
void fetcher_finish(struct fetcher *f, int (*tell)(void *ctx, const struct sonde_fetches *now), void *ctx);

/* Nobody is in fetcher_find() any more. What is awaited is given up. */
void fetcher_free(struct fetcher *f);

#endif
