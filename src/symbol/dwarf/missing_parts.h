/* SPDX-License-Identifier: MIT */
/* missing_parts.h - the files that a debug file refers to and that were not found: .dwo, .dwp, and that of dwz. */
#ifndef SYMBOL_DWARF_MISSING_PARTS_H
#define SYMBOL_DWARF_MISSING_PARTS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

/* A tree that was cleaned lacks all of its .dwo files: the first ones are enough to know. */
enum { MISSING_PARTS_TOLD = 5 };

struct missing_parts {
	pthread_mutex_t lock;
	struct arena text;
	VEC(const char *) notes;     /* a sentence for each file, at most MISSING_PARTS_TOLD; in no order */
	size_t n;                    /* all files */
};

void missing_parts_init(struct missing_parts *m);
void missing_parts_free(struct missing_parts *m);

/* Counts a file and keeps the sentence, which is freed. By several threads. */
void missing_parts_add(struct missing_parts *m, struct buf *note);

#endif
