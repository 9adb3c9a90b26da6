/* SPDX-License-Identifier: MIT */
/* sqlite_library.h - the functions of libsqlite3, which is loaded when it is needed first */
#ifndef EXPORT_SQLITE_SQLITE_LIBRARY_H
#define EXPORT_SQLITE_SQLITE_LIBRARY_H

#ifdef HAVE_SQLITE

#include <sqlite3.h>

struct sqlite_library {
	int (*open_v2)(const char *path, sqlite3 **db, int flags, const char *vfs);
	int (*close_v2)(sqlite3 *db);
	int (*exec)(sqlite3 *db, const char *sql, int (*fn)(void *, int, char **, char **), void *ctx, char **message);
	int (*prepare_v2)(sqlite3 *db, const char *sql, int size, sqlite3_stmt **out, const char **rest);
	int (*step)(sqlite3_stmt *s);
	int (*reset)(sqlite3_stmt *s);
	int (*finalize)(sqlite3_stmt *s);
	int (*bind_int64)(sqlite3_stmt *s, int i, sqlite3_int64 v);
	int (*bind_null)(sqlite3_stmt *s, int i);
	int (*bind_text)(sqlite3_stmt *s, int i, const char *text, int size, void (*destroy)(void *));
	const char *(*errmsg)(sqlite3 *db);
	int (*extended_result_codes)(sqlite3 *db, int on);
	int (*db_config)(sqlite3 *db, int what, ...);
	int (*set_authorizer)(sqlite3 *db,
			      int (*fn)(void *, int, const char *, const char *, const char *, const char *),
			      void *ctx);
	int (*column_count)(sqlite3_stmt *s);
	const char *(*column_name)(sqlite3_stmt *s, int i);
	int (*column_type)(sqlite3_stmt *s, int i);
	sqlite3_int64 (*column_int64)(sqlite3_stmt *s, int i);
	double (*column_double)(sqlite3_stmt *s, int i);
	const unsigned char *(*column_text)(sqlite3_stmt *s, int i);
	const void *(*column_blob)(sqlite3_stmt *s, int i);
	int (*column_bytes)(sqlite3_stmt *s, int i);
	/* for tables that SQLite does not store */
	int (*create_module)(sqlite3 *db, const char *name, const sqlite3_module *module, void *ctx);
	int (*declare_vtab)(sqlite3 *db, const char *sql);
	void (*result_int64)(sqlite3_context *to, sqlite3_int64 v);
	void (*result_double)(sqlite3_context *to, double v);
	void (*result_text)(sqlite3_context *to, const char *text, int size, void (*destroy)(void *));
	void (*result_error_nomem)(sqlite3_context *to);
	char *(*mprintf)(const char *format, ...);
};

/* NULL if it is not installed. Several threads may ask. */
const struct sqlite_library *sqlite_library_get(void);

#endif

#endif
