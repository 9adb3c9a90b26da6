/* SPDX-License-Identifier: MIT */
/*
 * bundle.h - what lies behind a recording in one file: names, lines and pieces of the binaries that its samples need
 *
 * docs/bundle.md has the layout. A member belongs to one binary of the recording, as the recording names it. Nothing
 * here knows what is in a member.
 */
#ifndef BUNDLE_BUNDLE_H
#define BUNDLE_BUNDLE_H

#include <sonde/types.h>

#include "base/err.h"

enum bundle_kind {
	BUNDLE_SYMBOLS = 1,          /* names of functions, by address */
	BUNDLE_FUNCTIONS = 2,        /* where functions without a name begin and end */
	BUNDLE_LINES = 3,            /* functions, inlined functions and source lines of addresses */
	BUNDLE_ELF = 4,              /* parts of the file that ran */
	BUNDLE_DEBUG_ELF = 5,        /* parts of its debug file */
	BUNDLE_FILE = 6,             /* a whole file: a jitdump */
	BUNDLE_SOURCE = 7,           /* a source file, by its path */
};

enum bundle_packing { BUNDLE_STORED, BUNDLE_ZSTD };

/* The binary that a member belongs to. */
struct bundle_key {
	uint32_t kind;               /* enum bundle_kind, or one that is not known */
	uint32_t binary;             /* its kind */
	int32_t pid;                 /* of code that a process made; else -1 */
	uint64_t begun;
	const char *name;
	const uint8_t *build_id;
	uint8_t build_id_size;
};

struct bundle_member {
	struct bundle_key key;       /* as long as the bundle */
	uint64_t offset, size;       /* in the file */
	uint64_t raw_size;           /* unpacked */
	uint64_t hash;               /* of the bytes in the file */
	uint32_t packing;
};

/*
 * Most bytes of a member, unpacked; and a packed one has at most so many times its size. Both keep a small file from
 * filling the memory.
 */
#define BUNDLE_RAW_MAX ((uint64_t)1 << 30)
#define BUNDLE_RATIO_MAX 1024

struct bundle;

/*
 * The bundle of a file: 1, or 0 if it has none. -SONDE_CORRUPT: it is damaged; what could be read of its directory is
 * not used.
 */
int bundle_open(struct bundle **out, const char *path, struct sonde_error *err);
void bundle_free(struct bundle *b);

size_t bundle_count(const struct bundle *b);
const struct bundle_member *bundle_at(const struct bundle *b, size_t i);

/* The bytes of the recording that it follows. */
uint64_t bundle_recording(const struct bundle *b);

/* The first member of the key; NULL if there is none. Several threads may ask. */
const struct bundle_member *bundle_find(const struct bundle *b, const struct bundle_key *key);

/* Its bytes, malloced, raw_size of them. 0, -SONDE_CORRUPT, -SONDE_TRUNCATED, -SONDE_NOMEM. */
int bundle_unpack(const struct bundle *b, const struct bundle_member *m, uint8_t **bytes, struct sonde_error *err);

#endif
