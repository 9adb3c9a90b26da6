/* SPDX-License-Identifier: MIT */
/*
 * bundle.h - members behind a recording in the same file: names, lines and parts of the binaries that its samples need
 *
 * Layout: docs/bundle.md. A member belongs to one binary of the recording, under the name that it has there. This room
 * does not know the contents of members.
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
	uint32_t kind;               /* enum bundle_kind, or an unknown one */
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
 * Limits of a member, unpacked: its bytes, and its bytes divided by its size in the file. They keep a small file from
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

/* The size of the recording in front of the bundle. */
uint64_t bundle_recording(const struct bundle *b);

/* The first member of the key; NULL if there is none. Several threads may ask. */
const struct bundle_member *bundle_find(const struct bundle *b, const struct bundle_key *key);

/* Whether the bytes of a member in the file are those that were written. 0, or as bundle_unpack(). */
int bundle_check(const struct bundle *b, const struct bundle_member *m, struct sonde_error *err);

/* The raw_size bytes of a member, malloced. 0, -SONDE_CORRUPT, -SONDE_TRUNCATED, -SONDE_NOMEM. */
int bundle_unpack(const struct bundle *b, const struct bundle_member *m, uint8_t **bytes, struct sonde_error *err);

#endif
