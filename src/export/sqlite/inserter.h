/* SPDX-License-Identifier: MIT */
/*
 * inserter.h - rows for a table of a database, inserted in blocks by another thread
 *
 *	inserter_int(&t, 42);
 *	inserter_text(&t, "name", 4);
 *	inserter_end_row(&t);
 *
 * SQLite takes most of the time of an export, so it has a thread of its own; each statement inserts several rows, which
 * is twice as fast as one. All tables of a database share one worker: nobody else may use the database until
 * inserter_finish() of each.
 */
#ifndef EXPORT_SQLITE_INSERTER_H
#define EXPORT_SQLITE_INSERTER_H

#ifdef HAVE_SQLITE

#include <stdatomic.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/worker.h"
#include "export/sqlite/sqlite_library.h"

/* The connection that tables write to. */
struct inserter_db {
	const struct sqlite_library *lib;
	sqlite3 *db;
	struct worker *worker;       /* NULL: the caller inserts */
	int copy_fd;                 /* the file that will get a copy, and must have room for it; -1: none */
	unsigned nr_blocks;          /* that were inserted */
	int no_room;                 /* why it has none: an errno; 0: it has */
	atomic_int failed;           /* of SQLite, or SQLITE_NOMEM */
};

struct inserter_value {
	enum { TABLE_NULL, TABLE_INT, TABLE_TEXT } kind;
	uint32_t size;               /* of a text */
	int64_t v;                   /* of a text: where it begins in the block's texts */
};

struct inserter_block {
	struct job job;
	struct inserter *table;
	VEC(struct inserter_value) values;
	struct buf text;
};

struct inserter {
	struct inserter_db *db;
	unsigned columns;
	sqlite3_stmt *many, *one;    /* statements for several rows, and for one */
	struct inserter_block blocks[2];
	unsigned filling;
};

/* Prepares rows for a table with that many columns. Negative: out of memory, or SQLite has failed. */
int inserter_begin(struct inserter *t, struct inserter_db *db, const char *name, unsigned columns);

void inserter_int(struct inserter *t, int64_t v);
void inserter_null(struct inserter *t);

/* Bytes that are not UTF-8 become U+FFFD. NULL: no value. */
void inserter_text(struct inserter *t, const char *s, size_t len);
void inserter_str(struct inserter *t, const char *s);

void inserter_end_row(struct inserter *t);

/* Inserts what is left and releases everything; the failure is in the inserter_db. */
void inserter_finish(struct inserter *t);

#endif

#endif
