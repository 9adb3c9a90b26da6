/* SPDX-License-Identifier: MIT */
#include "api/export/sql_analyses.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/safe_text.h"

/* An analysis, which runs when a query reads one of its tables first. */
struct sql_analysis {
	const struct sonde_analysis_kind *kind;
	struct sonde_analysis *analysis;     /* NULL: it has not run */
};

struct sql_analyses {
	const struct sqlite_library *lib;
	struct sonde_trace *trace;
	struct sonde_query query;
	int64_t start;               /* of the times of all tables */
	size_t n;
	struct sql_analysis at[];
};

/* A column of SQL: that of the table, or a part of its task. */
struct sql_column {
	size_t column;
	enum { PART_WHOLE, PART_TID, PART_PID } part;
};

/* SQLite's view of a table; it gets the pointer, so its own struct comes first. */
struct sql_table {
	sqlite3_vtab base;
	struct sql_analyses *all;
	struct sql_analysis *of;
	const struct sonde_table_schema *schema;
	size_t nr_columns;
	struct sql_column columns[];
};

struct sql_cursor {
	sqlite3_vtab_cursor base;
	struct sonde_table *rows;
	size_t row;
};

/* ---- tables ---- */

static const char *sql_type(enum sonde_table_kind kind)
{
	switch (kind) {
	case SONDE_TABLE_SHARE:
	case SONDE_TABLE_REAL:
		return "real";
	case SONDE_TABLE_TEXT:
	case SONDE_TABLE_TASK:
		return "text";
	default:
		return "integer";
	}
}

static void put_columns(struct buf *sql, const struct sonde_table_schema *schema)
{
	const struct sonde_table_column *c;

	buf_str(sql, "create table x(");
	for (size_t i = 0; (c = sonde_table_schema_column_at(schema, i)); i++) {
		buf_printf(sql, "%s\"%s\" %s", i ? "," : "", c->name, sql_type(c->kind));
		if (c->kind == SONDE_TABLE_TASK)
			buf_printf(sql, ",\"%s_tid\" integer,\"%s_pid\" integer", c->name, c->name);
	}
	buf_put(sql, ")", 2);
}

static int declare(const struct sqlite_library *lib, sqlite3 *db, const struct sonde_table_schema *schema)
{
	struct buf sql = BUF_MEMORY;
	int r;

	put_columns(&sql, schema);
	r = sql.failed ? SQLITE_NOMEM : lib->declare_vtab(db, sql.p);
	buf_free(&sql);
	return r;
}

static struct sql_table *make_table(struct sql_analyses *all, struct sql_analysis *of,
				    const struct sonde_table_schema *schema)
{
	const struct sonde_table_column *c;
	struct sql_table *t;
	size_t n = 0;

	while (sonde_table_schema_column_at(schema, n))
		n++;
	t = calloc(1, sizeof(*t) + 3 * n * sizeof(*t->columns));
	if (!t)
		return NULL;
	t->all = all;
	t->of = of;
	t->schema = schema;
	for (size_t i = 0; (c = sonde_table_schema_column_at(schema, i)); i++)
		for (int part = PART_WHOLE; part <= (c->kind == SONDE_TABLE_TASK ? PART_PID : PART_WHOLE); part++)
			t->columns[t->nr_columns++] = (struct sql_column){ i, part };
	return t;
}

/* The arguments are those of put_table(): the number of the analysis and of its table. */
static int connect(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
	struct sql_analyses *all = ctx;
	const size_t analysis = argc > 4 ? strtoul(argv[3], NULL, 10) : SIZE_MAX;
	const struct sonde_table_schema *schema;
	struct sql_table *t;

	(void)error;
	if (analysis >= all->n)
		return SQLITE_ERROR;
	schema = sonde_analysis_schema_at(all->at[analysis].kind, strtoul(argv[4], NULL, 10));
	if (!schema)
		return SQLITE_ERROR;
	t = make_table(all, &all->at[analysis], schema);
	if (!t)
		return SQLITE_NOMEM;
	if (declare(all->lib, db, schema) != SQLITE_OK) {
		free(t);
		return SQLITE_ERROR;
	}
	*out = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* There is one way to read a table: all of it. */
static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1e6;
	return SQLITE_OK;
}

/* ---- rows ---- */

static int fail(struct sql_table *t, const char *text)
{
	t->base.zErrMsg = t->all->lib->mprintf("%s: %s", t->of->kind->name, text);
	return SQLITE_ERROR;
}

static int run_analysis(struct sql_table *t)
{
	struct sql_analysis *of = t->of;

	if (of->analysis)
		return SQLITE_OK;
	of->analysis = sonde_analysis_new(of->kind->name, of->kind->all);
	if (!of->analysis)
		return SQLITE_NOMEM;
	if (sonde_analysis_run(of->analysis, t->all->trace, &t->all->query) == 0)
		return SQLITE_OK;
	fail(t, sonde_analysis_error(of->analysis)->text);
	sonde_analysis_free(of->analysis);   /* a later query fails with the same words */
	of->analysis = NULL;
	return SQLITE_ERROR;
}

static struct sonde_table *find_rows(const struct sql_table *t)
{
	struct sonde_table *rows;

	for (size_t i = 0; (rows = sonde_analysis_table_at(t->of->analysis, i)); i++)
		if (strcmp(sonde_table_info(rows)->name, t->schema->name) == 0)
			return rows;
	return NULL;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	struct sql_cursor *c = calloc(1, sizeof(*c));

	(void)table;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int rewind_rows(sqlite3_vtab_cursor *cursor, int plan_number, const char *plan_text, int argc,
		       sqlite3_value **argv)
{
	struct sql_cursor *c = (struct sql_cursor *)cursor;
	struct sql_table *t = (struct sql_table *)cursor->pVtab;
	int r = run_analysis(t);

	(void)plan_number;
	(void)plan_text;
	(void)argc;
	(void)argv;
	if (r != SQLITE_OK)
		return r;
	c->rows = find_rows(t);
	c->row = 0;
	return c->rows ? SQLITE_OK : fail(t, "this table was not made");
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	((struct sql_cursor *)cursor)->row++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	const struct sql_cursor *c = (const struct sql_cursor *)cursor;

	return c->row >= sonde_table_info(c->rows)->rows;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((const struct sql_cursor *)cursor)->row;
	return SQLITE_OK;
}

static void put_text(const struct sqlite_library *lib, sqlite3_context *out, const char *text)
{
	struct buf clean = BUF_MEMORY;

	buf_utf8(&clean, text, strlen(text));
	if (clean.failed)
		lib->result_error_nomem(out);
	else
		lib->result_text(out, clean.p ? clean.p : "", (int)clean.n, SQLITE_TRANSIENT);
	buf_free(&clean);
}

static void put_task(const struct sqlite_library *lib, sqlite3_context *out, const struct sonde_table_value *v,
		     int part)
{
	if (part == PART_WHOLE)
		put_text(lib, out, v->text);
	else if (part == PART_TID)
		lib->result_int64(out, v->tid);
	else if (v->pid >= 0)
		lib->result_int64(out, v->pid);
}

static int put_value(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
	const struct sql_cursor *c = (const struct sql_cursor *)cursor;
	const struct sql_table *t = (const struct sql_table *)cursor->pVtab;
	const struct sqlite_library *lib = t->all->lib;
	const struct sonde_table_value *v = sonde_table_value_at(c->rows, c->row, t->columns[column].column);

	if (!v || !v->known)                 /* a result that is not set is null */
		return SQLITE_OK;
	switch (v->kind) {
	case SONDE_TABLE_TASK: put_task(lib, out, v, t->columns[column].part); break;
	case SONDE_TABLE_TEXT: put_text(lib, out, v->text); break;
	case SONDE_TABLE_SHARE: lib->result_double(out, v->share); break;
	case SONDE_TABLE_REAL: lib->result_double(out, v->real); break;
	case SONDE_TABLE_TIME: lib->result_int64(out, v->number - t->all->start); break;
	default: lib->result_int64(out, v->number);
	}
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = connect, .xConnect = connect, .xBestIndex = plan, .xDisconnect = disconnect, .xDestroy = disconnect,
	.xOpen = open_cursor, .xClose = close_cursor, .xFilter = rewind_rows, .xNext = next_row, .xEof = at_end,
	.xColumn = put_value, .xRowid = row_id,
};

/* ---- life ---- */

static void put_table(struct buf *sql, const struct sonde_analysis_kind *kind, size_t analysis, size_t table)
{
	const size_t begin = sql->n;

	buf_printf(sql, "create virtual table %s", kind->name);
	if (table)
		buf_printf(sql, "_%s", sonde_analysis_schema_at(kind, table)->name);
	for (size_t i = begin + strlen("create virtual table "); !sql->failed && i < sql->n; i++)
		if (sql->p[i] == ' ')
			sql->p[i] = '_';
	buf_printf(sql, " using sonde_analysis(%zu,%zu);", analysis, table);
}

static int create_tables(struct sql_analyses *s, sqlite3 *db)
{
	struct buf sql = BUF_MEMORY;
	int r;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; sonde_analysis_schema_at(s->at[i].kind, k); k++)
			put_table(&sql, s->at[i].kind, i, k);
	buf_char(&sql, '\0');
	r = sql.failed ? SQLITE_NOMEM : s->lib->create_module(db, "sonde_analysis", &module, s);
	if (r == SQLITE_OK)
		r = s->lib->exec(db, sql.p, NULL, NULL, NULL);
	buf_free(&sql);
	return r;
}

/* Time 0 of the database. */
static int read_start(struct sql_analyses *s, sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	int r = s->lib->prepare_v2(db, "select value from meta where key = 'start_ns'", -1, &statement, NULL);

	if (r == SQLITE_OK && s->lib->step(statement) == SQLITE_ROW)
		s->start = s->lib->column_int64(statement, 0);
	s->lib->finalize(statement);
	return r;
}

struct sql_analyses *sql_analyses_new(const struct sqlite_library *lib, sqlite3 *db, struct sonde_trace *t,
				      const struct sonde_query *query)
{
	struct sql_analyses *s;
	size_t n = 0;

	while (sonde_analysis_kind_at(n))
		n++;
	s = calloc(1, sizeof(*s) + n * sizeof(*s->at));
	if (!s)
		return NULL;
	s->lib = lib;
	s->trace = t;
	s->query = query ? *query : (struct sonde_query){ .sz = sizeof(s->query) };
	for (s->n = 0; s->n < n; s->n++)
		s->at[s->n].kind = sonde_analysis_kind_at(s->n);
	if (read_start(s, db) == SQLITE_OK && create_tables(s, db) == SQLITE_OK)
		return s;
	sql_analyses_free(s);
	return NULL;
}

void sql_analyses_free(struct sql_analyses *s)
{
	for (size_t i = 0; s && i < s->n; i++)
		sonde_analysis_free(s->at[i].analysis);
	free(s);
}

#endif
