/* SPDX-License-Identifier: MIT */
/*
 * cache_file.h - files that are kept between runs in one directory, whatever is in them
 *
 * A file is written under another name and renamed, so that a reader finds all of it or nothing, and of several
 * writers the last one wins. The directory and its files belong to the user alone; links are not followed. Its bytes
 * are still not trusted by those who read it. Of the files together, those that were not used for the longest time make
 * way for new ones.
 *
 * Names begin with a build id of 8 bytes or more in hex, "file-" and a hash, or "module-" and a build id; "-functions",
 * ".lines" or ".lines.asked" follows, or nothing. No other file is written or removed: the directory may be one that
 * other programs use as well.
 */
#ifndef SYMBOL_TABLE_CACHE_FILE_H
#define SYMBOL_TABLE_CACHE_FILE_H

#include "base/fmap.h"

struct cache_part { const void *p; size_t size; };

/* Opens a file that only this user could have written, and notes that it is used. -1: there is none. */
int cache_file_open(const char *dir, const char *name);

/* Reads such a file. */
bool cache_file_read(struct fmap *m, const char *dir, const char *name);

/*
 * Writes the parts, one after the other, if they have at most max bytes together: a small input that gives a large
 * table is none to fill the cache with. A failure only costs the next run some time, so there is no message.
 */
void cache_file_write(const char *dir, const char *name, const struct cache_part *parts, size_t nr_parts, uint64_t max);

/* Removes a file that turned out to be damaged. */
void cache_file_remove(const char *dir, const char *name);

/* Removes files until the rest has at most max bytes, the longest unused ones first; and what writers left behind. */
void cache_file_tidy(const char *dir, uint64_t max);

#endif
