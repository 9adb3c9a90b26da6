/* SPDX-License-Identifier: MIT */
#include "export/fleet/data_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/path.h"
#include "export/fleet/parquet_rows.h"
#include "io/output.h"

enum { DAY_S = 24 * 60 * 60 };

struct data_set {
	const struct export *x;
	const struct fleet_rows *rows;
};

/*
 * Makes the directories that a file's path names. Below @own bytes of it, where other hosts may write, a symbolic link
 * would lead out of the data set: none is followed, as in a compaction.
 */
static int make_directories(char *path, size_t own, struct sonde_error *err)
{
	struct stat st;
	int r = 0;

	for (char *slash = strchr(path + 1, '/'); slash && r == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		r = path_make_directory(path, err);
		if (r == 0 && slash > path + own && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
			r = err_set(err, SONDE_DENIED, SONDE_NONE, "%s is a symbolic link, which is not followed",
				    path);
		*slash = '/';
	}
	return r;
}

/* The path of the file of a table for a date; NULL when out of memory. */
static char *file_path(const struct data_set *d, const char *table, int64_t date)
{
	const time_t at = date * DAY_S;
	char day[16] = "1970-01-01", *path;
	struct tm tm;

	if (gmtime_r(&at, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	if (asprintf(&path, "%s/v1/%s/date=%s/host=%s/%" PRIu64 "-%016" PRIx64 ".parquet", d->x->dir, table, day,
		     d->rows->host, d->rows->start_ns / 1000000000, (uint64_t)d->rows->run_id) < 0)
		return NULL;
	return path;
}

static int fill(const struct data_set *d, const struct fleet_source *s, size_t first, size_t n, struct buf *out)
{
	const struct fleet_table_row *table = fleet_source_table(s);
	struct parquet_writer *file = parquet_writer_new(out, table->columns, table->nr_columns);
	struct fleet_writer w = { &parquet_rows_format, file };
	int r = -SONDE_NOMEM;

	if (file) {
		r = fleet_source_put(s, d->rows, first, n, d->x->fleet.known, &w);
		r = r < 0 ? r : parquet_writer_end(file);
	}
	parquet_writer_free(file);
	return r;
}

static int write_file(const struct data_set *d, const struct fleet_source *s, int64_t date, size_t first, size_t n)
{
	struct sonde_error *err = d->x->err;
	char *path = file_path(d, fleet_source_table(s)->name, date);
	struct output o;
	int r;

	if (!path)
		return -SONDE_NOMEM;
	r = make_directories(path, strlen(d->x->dir) + strlen("/v1"), err);
	if (r == 0)
		r = output_open_shared(&o, path, NULL, 0, err);
	if (r == 0) {
		r = fill(d, s, first, n, &o.buf);
		r = r < 0 ? r : output_finish(&o, err);
		output_close(&o);
	}
	free(path);
	return r;
}

/* A file for each date; of a table that has something to write. */
static int write_table(const struct data_set *d, const struct fleet_source *s)
{
	size_t count = s->count(d->rows), first = 0, n;
	int r = 0;

	if (!fleet_source_has_news(s, d->rows, d->x->fleet.known))
		return 0;
	if (!s->of_windows)
		return write_file(d, s, d->rows->date, 0, count);
	for (; first < count && r == 0; first += n) {
		int64_t date = d->rows->samples.at[first].date;

		for (n = 1; first + n < count && d->rows->samples.at[first + n].date == date;)
			n++;
		r = write_file(d, s, date, first, n);
	}
	return r;
}

int export_parquet(struct export *x)
{
	struct fleet_rows rows;
	struct data_set d = { x, &rows };
	int r;

	if (!x->dir)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE, "the format 'parquet' has no single table");
	r = fleet_rows_make(&rows, x);
	for (size_t i = 0; i < FLEET_TABLES && r == 0; i++)
		r = write_table(&d, &fleet_sources[i]);
	if (r == 0 && x->fleet.known)
		r = fleet_sources_note(&rows, x->fleet.known);
	r = r < 0 ? r : rows.samples.n > 0;
	fleet_rows_free(&rows);
	return r;
}
