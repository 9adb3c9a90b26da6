/* SPDX-License-Identifier: MIT */
/* entry.h - an entry of the directory: numbers in little-endian order, the name, zeros up to a multiple of 8 */
#ifndef BUNDLE_ENTRY_H
#define BUNDLE_ENTRY_H

#include "base/buf.h"
#include "base/cursor.h"
#include "bundle/bundle.h"

/* ENTRY_BYTES: before the name. */
enum { ENTRY_BYTES = 96, ENTRY_NAME_MOST = 65535 };

/* A member begins at a multiple of this. */
enum { MEMBER_ALIGN = 64 };

void entry_encode(struct buf *out, const struct bundle_member *m);

/*
 * The next entry; name and build id are views. Members lie between @begin and @end in the file. False: the rest of the
 * directory makes no sense.
 */
bool entry_decode(struct cursor *c, uint64_t begin, uint64_t end, struct bundle_member *m, struct sonde_str *name);

#endif
