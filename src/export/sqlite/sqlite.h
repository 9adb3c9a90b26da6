/* SPDX-License-Identifier: MIT */
/* sqlite.h - the events of a trace as a database of SQLite: docs/events-sql.md */
#ifndef EXPORT_SQLITE_SQLITE_H
#define EXPORT_SQLITE_SQLITE_H

#include "export/events/event_rows.h"

/* Writes the file of a database. -SONDE_UNSUPPORTED without libsqlite3. */
int export_sqlite(struct event_rows *e);

#ifdef HAVE_SQLITE

#include "export/sqlite/sqlite_library.h"

/* Nobody else sees the database, and after a crash it is gone. */
#define SQLITE_FAST \
	"pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;" \
	"pragma cache_size = -65536; begin;"

/* Makes the tables and views of a trace in an empty database. */
int sqlite_fill(struct event_rows *e, const struct sqlite_library *lib, sqlite3 *db);

#endif

/* Fails because libsqlite3 is not there. */
int sqlite_is_missing(struct sonde_error *err);

#endif
