/* SPDX-License-Identifier: MIT */
/* entry.h - an entry of the directory: numbers in little-endian order, the name, zeros up to a multiple of 8 */
#ifndef BUNDLE_ENTRY_H
#define BUNDLE_ENTRY_H

#include "base/buf.h"
#include "base/cursor.h"
#include "bundle/bundle.h"

/* Before the name. */
enum { ENTRY_BYTES = 96, ENTRY_NAME_MOST = 65535 };

/* Where a member begins is a multiple of this. */
enum { MEMBER_ALIGN = 64 };

void entry_encode(struct buf *out, const struct bundle_member *m);

/*
 * The next entry; strings and ids are views. @end: where the directory begins, so members end. False: the rest makes no
 * sense.
 */
bool entry_decode(struct cursor *c, uint64_t begin, uint64_t end, struct bundle_member *m, struct sonde_str *name);

#endif
