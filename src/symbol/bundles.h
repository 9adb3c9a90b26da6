/* SPDX-License-Identifier: MIT */
/*
 * bundles.h - the bundles of the recordings that are open: files and tables of their binaries
 *
 * A bundle that is damaged is not used, nor is a member that is: the file system is looked at then. Several threads may
 * ask for members; bundles are added before.
 */
#ifndef SYMBOL_BUNDLES_H
#define SYMBOL_BUNDLES_H

#include "base/vec.h"
#include "bundle/bundle.h"
#include "threads/mapping.h"

struct bundles {
	VEC(struct bundle *) list;   /* in the order of the recordings */
};

/* The bundle of the recording at @path, if it has one. 0 or -SONDE_NOMEM. */
int bundles_add(struct bundles *b, const char *path);
void bundles_free(struct bundles *b);

/* The key of a member of the binary; its strings are the binary's. */
struct bundle_key bundle_key_of(const struct binary *b, enum bundle_kind kind);

/*
 * The member of the binary in the i-th bundle: its bytes, malloced, which the caller frees. False if that bundle has
 * none.
 */
bool bundles_take(const struct bundles *b, size_t i, const struct binary *binary, enum bundle_kind kind,
		  uint8_t **bytes, size_t *size);

/* The key of a source file; its name is @path. */
struct bundle_key bundle_key_of_source(const char *path);

/* The source file at @path, from the last recording that has it; bytes as above. */
bool bundles_take_source(const struct bundles *b, const char *path, uint8_t **bytes, size_t *size);

#endif
