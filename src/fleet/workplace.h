/* SPDX-License-Identifier: MIT */
/*
 * workplace.h - SET/v1/.compacting: where directories of a data set are made before they get their place
 *
 * It is locked: a second compaction of the same set is refused, and touches nothing. A directory takes the place of an
 * older one in one step (RENAME_EXCHANGE), or, where the filesystem cannot, in two, which the next compaction completes
 * if the second one was never made. Symbolic links below v1 are not followed: hosts may write there.
 */
#ifndef FLEET_WORKPLACE_H
#define FLEET_WORKPLACE_H

#include <limits.h>

#include "base/err.h"

struct workplace {
	const char *set;             /* the directory of the data set */
	int v1;                      /* the directory SET/v1; -1: none */
	int lock;                    /* its directory .compacting, which this process has locked; -1: it has not */
};

/* 0; -SONDE_DENIED: another compaction works there; -SONDE_SYSTEM. workplace_close() in any case. */
int workplace_open(struct workplace *w, const char *set, struct sonde_error *err);

/* The path of a new empty directory, for a table and a date. 0 or negative. */
int workplace_begin(struct workplace *w, const char *table, const char *date, char path[PATH_MAX],
		    struct sonde_error *err);

/* The directory gets its place, SET/v1/compact/TABLE/DATE, when its files are on the disk. 0 or negative. */
int workplace_finish(struct workplace *w, const char *table, const char *date, struct sonde_error *err);

/* Everything that has been written is on the disk. 0 or negative. */
int workplace_sync(struct workplace *w, struct sonde_error *err);

/* Removes what has not got its place; nothing without the lock, because it may be another process that makes it. */
void workplace_close(struct workplace *w);

#endif
