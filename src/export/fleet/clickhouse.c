/* SPDX-License-Identifier: MIT */
#include "export/fleet/clickhouse.h"

#include <stdio.h>

#include "export/fleet/row_binary.h"
#include "io/output.h"

static int put_table(const struct fleet_source *s, const struct fleet_rows *rows, struct buf *out)
{
	struct row_binary to = { out, fleet_source_table(s)->columns };
	struct fleet_writer w = { &row_binary_format, &to };

	return fleet_source_put(s, rows, 0, s->count(rows), NULL, &w);
}

static int write_file(const struct fleet_source *s, const struct fleet_rows *rows, struct output_dir *dir,
		      struct sonde_error *err)
{
	struct output o;
	char name[32];
	int r;

	snprintf(name, sizeof(name), "%s.rowbinary", fleet_source_table(s)->name);
	r = output_open_in(&o, dir, name, err);
	if (r < 0)
		return r;
	r = put_table(s, rows, &o.buf);
	r = r < 0 ? r : output_finish(&o, err);
	output_close(&o);
	return r;
}

static int write_directory(const char *path, const struct fleet_rows *rows, struct sonde_error *err)
{
	struct output_dir dir;
	int r = output_dir_open(&dir, path, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < FLEET_TABLES && r == 0; i++)
		r = write_file(&fleet_sources[i], rows, &dir, err);
	r = r < 0 ? r : output_dir_finish(&dir, err);
	output_dir_close(&dir);
	return r;
}

int export_clickhouse(struct export *x)
{
	const struct fleet_source *s = x->fleet.table ? fleet_source_find(x->fleet.table) : NULL;
	struct fleet_rows rows;
	int r;

	if (x->fleet.table && !s)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE,
			       "there is no table '%s': samples, stacks, frames, modules and runs are known",
			       x->fleet.table);
	r = fleet_rows_make(&rows, x);
	if (r == 0)
		r = s ? put_table(s, &rows, x->out) : write_directory(x->dir, &rows, x->err);
	r = r < 0 ? r : rows.samples.n > 0;
	fleet_rows_free(&rows);
	return r;
}
