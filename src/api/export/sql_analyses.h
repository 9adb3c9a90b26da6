/* SPDX-License-Identifier: MIT */
/*
 * sql_analyses.h - the tables of analyses as tables of a database
 *
 *	create virtual table sched_latency  --->  a query names it  --->  the analysis runs, once  --->  its rows
 *
 * The first table of an analysis has its name, others have their own behind it: sched_timehist_run_times. A task is
 * three columns: NAME, NAME_tid and NAME_pid. Times are since the first event, as in all tables of the database. Rows
 * are read where the analysis has them: nothing is copied, and an analysis that no query names does not run.
 */
#ifndef API_EXPORT_SQL_ANALYSES_H
#define API_EXPORT_SQL_ANALYSES_H

#ifdef HAVE_SQLITE

#include <sonde/analysis.h>

#include "export/sqlite/sqlite_library.h"

struct sql_analyses;

/* Declares the tables. @t, @query: see sonde_sql_add_analyses(). NULL when out of memory, or SQLite has failed. */
struct sql_analyses *sql_analyses_new(const struct sqlite_library *lib, sqlite3 *db, struct sonde_trace *t,
				      const struct sonde_query *query);

/* After the database is closed. */
void sql_analyses_free(struct sql_analyses *s);

#endif
#endif
