/* SPDX-License-Identifier: MIT */
/*
 * cache.h - tables kept on disk between runs, one file each, of which the pages that look-ups need are read
 *
 * A file (cache_file.h) is not trusted: sizes are checked when it is opened, and every offset when it is used
 * (symtab.c).
 */
#ifndef SYMBOL_TABLE_CACHE_H
#define SYMBOL_TABLE_CACHE_H

#include "symbol/table/symtab.h"

struct cache_key {
	char name[64];               /* of the file: the build id in hex, or a hash; "": not to be kept */
	uint64_t identity[2];        /* of the files that the table was made from: if one changes it is made again */
};

/* NULL if there is none that fits. refs: two addresses that were stored with it; may be NULL. */
struct symtab *cache_find(const char *dir, const struct cache_key *key, uint64_t refs[2]);

/* A failure only costs the next run some time, so there is no message. */
void cache_store(const char *dir, const struct cache_key *key, const struct symtab *t, const uint64_t refs[2]);

#endif
