/* SPDX-License-Identifier: MIT */
/* unpack.h - what is in the compressed records of a walk */
#ifndef PERFDATA_READ_UNPACK_H
#define PERFDATA_READ_UNPACK_H

#include "perfdata/read/walk_bytes.h"

/* Gives the payload of a COMPRESSED or COMPRESSED2 at the start of w->file to the decoder. */
int walk_take_compressed(struct walk *w, const struct record_header *h, struct sonde_error *err);

/* Makes need bytes available in w->unpack.span: 1, 0 if that needs more input, negative on failure. */
int walk_unpack(struct walk *w, uint64_t need, struct sonde_error *err);

void walk_unpack_end(struct walk *w);

/* Makes need bytes available in one of the walk's spans: 1, 0 if there will not be so many, negative on failure. */
static inline int walk_fill(struct walk *w, struct span *s, uint64_t need, struct sonde_error *err)
{
	if (at_hand(s) >= need)
		return 1;
	return s == &w->file ? walk_read(w, need, err) : walk_unpack(w, need, err);
}

#endif
