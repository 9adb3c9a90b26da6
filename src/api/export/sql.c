/* SPDX-License-Identifier: MIT */
/* sql.c - queries over a trace: its tables in a private database of SQLite */
#include <sonde/sql.h>

#include <stdlib.h>
#include <string.h>

#include "api/export/export_events.h"
#include "api/export/sql_analyses.h"
#include "base/bytes.h"
#include "base/err.h"
#include "export/sqlite/sqlite.h"

struct sonde_sql {
	struct sonde_error err;
	struct sonde_sql_value value;  /* that was handed out last */
#ifdef HAVE_SQLITE
	const struct sqlite_library *lib;
	sqlite3 *db;
	sqlite3_stmt *statement;
	struct sql_analyses *analyses;   /* NULL: it has no tables of analyses */
#endif
};

struct sonde_sql *sonde_sql_new(void)
{
	struct sonde_sql *q = calloc(1, sizeof(*q));

	if (q)
		err_clear(&q->err);
	return q;
}

const struct sonde_error *sonde_sql_error(const struct sonde_sql *q)
{
	return &q->err;
}

#ifdef HAVE_SQLITE

void sonde_sql_free(struct sonde_sql *q)
{
	if (!q)
		return;
	if (q->lib) {
		q->lib->finalize(q->statement);
		q->lib->close_v2(q->db);
		sql_analyses_free(q->analyses);
	}
	free(q);
}

static int fill(struct event_rows *e)
{
	struct sonde_sql *q = e->target;

	return sqlite_fill(e, q->lib, q->db);
}

/* Only reading: SQLite asks before it compiles each part of a statement. */
static int authorize(void *ctx, int what, const char *a, const char *b, const char *database, const char *inner)
{
	(void)ctx;
	(void)database;
	(void)inner;
	switch (what) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && strcasecmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return a && !b && (strcasecmp(a, "table_list") == 0 || strcasecmp(a, "user_version") == 0 ||
				   strcasecmp(a, "application_id") == 0 || strcasecmp(a, "integrity_check") == 0) ?
			       SQLITE_OK :
		       a && (strcasecmp(a, "table_info") == 0 || strcasecmp(a, "table_xinfo") == 0) ? SQLITE_OK :
												       SQLITE_DENY;
	}
	return SQLITE_DENY;
}

static int fail(struct sonde_sql *q, enum sonde_code code)
{
	return err_set(&q->err, code, SONDE_NONE, "%s", q->lib->errmsg(q->db));
}

/* Functions that are tables: SQLite declares one when it is used first, which authorize() refuses. */
#define DECLARE_FUNCTIONS \
	"select 1 from json_each('[]'); select 1 from json_tree('[]'); select 1 from pragma_table_info('meta');"

static int read_tables(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_events_opts *opts)
{
	int r;

	/* an empty name: in memory, beyond the cache in a temporary file that SQLite has unlinked */
	if (q->lib->open_v2("", &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    q->lib->exec(q->db, SQLITE_FAST, NULL, NULL, NULL))
		return fail(q, SONDE_SYSTEM);
	r = export_events_walk(t, opts, fill, q, &q->err);
	if (r < 0)
		return r;
	if (q->lib->exec(q->db, "commit", NULL, NULL, NULL))
		return fail(q, SONDE_SYSTEM);
	q->lib->exec(q->db, DECLARE_FUNCTIONS, NULL, NULL, NULL);
	q->lib->db_config(q->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	q->lib->set_authorizer(q->db, authorize, NULL);
	return 0;
}

int sonde_sql_open(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_events_opts *opts)
{
	int r;

	err_clear(&q->err);
	if (q->db)
		return err_set(&q->err, SONDE_USAGE, SONDE_NONE, "tables have been read already");
	q->lib = sqlite_library_get();
	if (!q->lib)
		return sqlite_is_missing(&q->err);
	r = read_tables(q, t, opts);
	if (r < 0) {
		q->lib->close_v2(q->db);
		q->db = NULL;
	}
	return r;
}

int sonde_sql_add_analyses(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_query *query)
{
	err_clear(&q->err);
	if (!q->db || q->analyses)
		return err_set(&q->err, SONDE_USAGE, SONDE_NONE, "%s",
			       q->db ? "the tables of analyses are there" : "no trace has been read");
	q->lib->set_authorizer(q->db, NULL, NULL);
	q->analyses = sql_analyses_new(q->lib, q->db, t, query);
	q->lib->set_authorizer(q->db, authorize, NULL);
	return q->analyses ? 0 : fail(q, SONDE_SYSTEM);
}

int sonde_sql_prepare(struct sonde_sql *q, const char *text, const char **rest)
{
	const char *end = text;
	int r;

	err_clear(&q->err);
	if (!q->db)
		return err_set(&q->err, SONDE_USAGE, SONDE_NONE, "no trace has been read");
	do {                             /* a comment alone is an empty statement */
		q->lib->finalize(q->statement);
		q->statement = NULL;
		text = end;
		r = q->lib->prepare_v2(q->db, text, -1, &q->statement, &end);
	} while (r == SQLITE_OK && !q->statement && *end);
	if (rest)
		*rest = end;
	if (r == SQLITE_AUTH)
		return err_set(&q->err, SONDE_USAGE, SONDE_NONE,
			       "only statements that read are taken: select, with, values");
	if (r != SQLITE_OK)
		return fail(q, SONDE_USAGE);
	return q->statement != NULL;
}

size_t sonde_sql_column_count(const struct sonde_sql *q)
{
	return q->statement ? (size_t)q->lib->column_count(q->statement) : 0;
}

const char *sonde_sql_column_name(const struct sonde_sql *q, size_t i)
{
	return i < sonde_sql_column_count(q) ? q->lib->column_name(q->statement, (int)i) : NULL;
}

int sonde_sql_step(struct sonde_sql *q)
{
	int r = q->statement ? q->lib->step(q->statement) : SQLITE_DONE;

	err_clear(&q->err);
	if (r == SQLITE_ROW)
		return 1;
	return r == SQLITE_DONE ? 0 : fail(q, SONDE_SYSTEM);
}

const struct sonde_sql_value *sonde_sql_value_at(struct sonde_sql *q, size_t i)
{
	struct sonde_sql_value *v = &q->value;
	sqlite3_stmt *s = q->statement;
	int at = (int)i;

	if (i >= sonde_sql_column_count(q))
		return NULL;
	*v = (struct sonde_sql_value){ 0 };
	switch (q->lib->column_type(s, at)) {
	case SQLITE_INTEGER:
		v->kind = SONDE_SQL_INTEGER;
		v->integer = q->lib->column_int64(s, at);
		break;
	case SQLITE_FLOAT:
		v->kind = SONDE_SQL_REAL;
		v->real = q->lib->column_double(s, at);
		break;
	case SQLITE_TEXT:
		v->kind = SONDE_SQL_TEXT;
		v->bytes.p = q->lib->column_text(s, at);
		v->bytes.len = (size_t)q->lib->column_bytes(s, at);
		break;
	case SQLITE_BLOB:
		v->kind = SONDE_SQL_BLOB;
		v->bytes.p = q->lib->column_blob(s, at);
		v->bytes.len = (size_t)q->lib->column_bytes(s, at);
		break;
	}
	return v;
}

#else

void sonde_sql_free(struct sonde_sql *q)
{
	free(q);
}

int sonde_sql_open(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_events_opts *opts)
{
	(void)t;
	(void)opts;
	err_clear(&q->err);
	return sqlite_is_missing(&q->err);
}

int sonde_sql_add_analyses(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_query *query)
{
	(void)t;
	(void)query;
	err_clear(&q->err);
	return sqlite_is_missing(&q->err);
}

int sonde_sql_prepare(struct sonde_sql *q, const char *text, const char **rest)
{
	(void)text;
	if (rest)
		*rest = "";
	err_clear(&q->err);
	return sqlite_is_missing(&q->err);
}

size_t sonde_sql_column_count(const struct sonde_sql *q)
{
	(void)q;
	return 0;
}

const char *sonde_sql_column_name(const struct sonde_sql *q, size_t i)
{
	(void)q;
	(void)i;
	return NULL;
}

int sonde_sql_step(struct sonde_sql *q)
{
	(void)q;
	return 0;
}

const struct sonde_sql_value *sonde_sql_value_at(struct sonde_sql *q, size_t i)
{
	(void)q;
	(void)i;
	return NULL;
}

#endif
