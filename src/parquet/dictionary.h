/* SPDX-License-Identifier: MIT */
/* dictionary.h - the different values of a column in one row group, in the form of a dictionary page */
#ifndef PARQUET_DICTIONARY_H
#define PARQUET_DICTIONARY_H

#include "base/buf.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* A dictionary that grows beyond this costs readers more than it saves. */
#define DICTIONARY_BYTES_MAX (1024 * 1024)

#define DICTIONARY_FULL (UINT32_MAX - 1)
#define DICTIONARY_NOMEM (UINT32_MAX - 2)

/* { .plain = BUF_MEMORY } is an empty one, of numbers or of texts. */
struct dictionary {
	struct hash_index index;
	VEC(uint64_t) entries;       /* a number, or where its text begins in `plain` */
	struct buf plain;            /* texts as PLAIN: u32 length, bytes */
	uint32_t last;               /* the entry that was found last: neighbours are often equal */
};

/* The number of an entry, which is added; DICTIONARY_FULL: there is no room for one more; DICTIONARY_NOMEM. */
uint32_t dictionary_number(struct dictionary *d, int64_t value);
uint32_t dictionary_text(struct dictionary *d, const char *text, size_t len);

/* The same without adding it: HASH_INDEX_NONE if it is not there. */
uint32_t dictionary_find_text(struct dictionary *d, const char *text, size_t len);

/* The same, empty. */
void dictionary_clear(struct dictionary *d);
void dictionary_free(struct dictionary *d);

#endif
