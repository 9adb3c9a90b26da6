/* SPDX-License-Identifier: MIT */
/* jitdumps.h - the jitdumps of a recording, each read once. */
#ifndef SYMBOL_JITDUMPS_H
#define SYMBOL_JITDUMPS_H

#include <pthread.h>

#include "base/buf.h"
#include "base/u64map.h"
#include "symbol/find_file.h"
#include "symbol/list/jitdump.h"

struct jitdumps {
	struct jit_source source;    /* for the tasks of the recording: the first member */
	const struct find_paths *paths;  /* borrowed */
	int64_t recorded_s;          /* when the recording was last written; 0: not known */
	bool force;                  /* believe dumps of any user */
	pthread_mutex_t lock;        /* of what follows */
	size_t nr_open;
	struct u64map by_binary;
	VEC(struct jitdumps_entry {
		int32_t pid;
		struct jitdump *dump;    /* NULL: it cannot be read */
		char *failure;           /* why */
		bool untimed;            /* its code was mapped without regard to time */
	}) list;
};

void jitdumps_init(struct jitdumps *all, const struct find_paths *paths);
void jitdumps_free(struct jitdumps *all);

/* The dump of a BINARY_JITDUMP; NULL: it cannot be read. */
struct jitdump *jitdumps_get(struct jitdumps *all, const struct binary *b);

/*
 * Reads what was added to a dump since it was read, or a dump that could not be read yet. 1: there is more, 0, or
 * -SONDE_NOMEM. Nobody looks into dumps meanwhile.
 */
int jitdumps_read_on(struct jitdumps *all, const struct binary *b);

/* Whether the names of a dump are those of code that came later, because times could not be compared. */
bool jitdumps_doubted(struct jitdumps *all, const struct binary *b);

/* Adds why the dump of a process could not be read, if it could not. */
void jitdumps_failure(struct jitdumps *all, int32_t pid, struct buf *out);

#endif
