/* SPDX-License-Identifier: MIT */
#include "fleet/compact.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "fleet/compact_input.h"
#include "fleet/compact_output.h"
#include "fleet/file_list.h"
#include "fleet/partition.h"
#include "fleet/workplace.h"
#include "io/output.h"

#define DEFAULT_MEMORY ((uint64_t)256 * 1024 * 1024)

/* The files of hosts whose rows a directory of compacted files has, one a line. */
#define INPUTS "_inputs"

/* A table on a date. */
struct compaction {
	const char *set;
	const struct sonde_fleet_compact_opts *opts;
	struct sonde_fleet_compacted *done;
	struct sonde_error *err;
	struct workplace *workplace;
	const struct compact_table *table;
	const char *name;            /* of the table */
	const char *date;            /* "date=2026-11-22" */
	struct file_list raw;        /* files of hosts, "host=NAME/FILE" */
	struct file_list known;      /* those that have been compacted */
	struct file_list parts;      /* the files that they are in */
	struct row_sorter *rows;
};

static int too_long(const struct compaction *c)
{
	return err_set(c->err, SONDE_USAGE, SONDE_NONE, "a path in %s is too long", c->set);
}

/* Paths below the directory v1 of the data set. */
static bool raw_path(const struct compaction *c, const char *name, char path[PATH_MAX])
{
	return path_print(path, "%s/%s%s%s", c->name, c->date, *name ? "/" : "", name);
}

static bool compact_path(const struct compaction *c, const char *name, char path[PATH_MAX])
{
	return path_print(path, "compact/%s/%s%s%s", c->name, c->date, *name ? "/" : "", name);
}

static int list_files(struct compaction *c)
{
	char raw[PATH_MAX], inputs[PATH_MAX], place[PATH_MAX];
	int v1 = c->workplace->v1, r;

	if (!raw_path(c, "", raw) || !compact_path(c, INPUTS, inputs) || !compact_path(c, "", place))
		return too_long(c);
	r = file_list_partitions(&c->raw, v1, raw, "host", c->err);
	if (r == 0)
		r = file_list_read(&c->known, v1, inputs, c->err);
	if (r == 0 && c->table->service != COMPACT_NONE)
		r = file_list_partitions(&c->parts, v1, place, "service", c->err);
	else if (r == 0)
		r = file_list_entries(&c->parts, v1, place, "", ".parquet", c->err);
	if (r == 0 && c->parts.links.n)      /* its rows would be lost */
		r = err_set(c->err, SONDE_DENIED, SONDE_NONE, "v1/%s is a symbolic link, which is not followed",
			    c->parts.links.at[0]);
	return r;
}

/* @path: below v1 */
static void leave_out(struct compaction *c, const char *path, const struct sonde_error *why)
{
	char whole[PATH_MAX];

	c->done->left_out++;
	if (c->opts->left_out)
		c->opts->left_out(c->opts->ctx, path_print(whole, "%s/v1/%s", c->set, path) ? whole : path, why);
}

/* Directories that are links lead to files that the hosts of this data set may not change. */
static void leave_out_links(struct compaction *c, const struct file_list *l)
{
	struct sonde_error why = { .sz = sizeof(why) };

	err_set(&why, SONDE_DENIED, SONDE_NONE, "a symbolic link, which is not followed");
	for (size_t i = 0; i < l->links.n; i++) {
		c->done->files++;
		leave_out(c, l->links.at[i], &why);
	}
}

/* Notes why nothing more can be done, with the file that it is about. */
static int fail_at(struct compaction *c, const char *path, const struct sonde_error *why)
{
	if (!c->err->code)
		err_set(c->err, why->code, why->file_offset, "v1/%.100s: %.150s", path, why->text);
	return -(int)c->err->code;
}

/*
 * Adds the rows of a file; @folder has the value of a column. 1: the file is left out, because it is damaged: neither
 * memory nor the temporary files of the sorter have failed.
 */
static int add_file(struct compaction *c, const char *path, const char *folder, bool is_raw)
{
	struct sonde_error why = { .sz = sizeof(why) };
	struct buf value = BUF_MEMORY;
	struct compact_input in = { .v1 = c->workplace->v1, .path = path,
				    .column = is_raw ? c->table->host : c->table->service };
	bool spoiled = false;
	int r;

	if (in.column != COMPACT_NONE) {
		partition_decode(&value, folder);
		in.value = (struct sonde_str){ value.p ? value.p : "", value.n };
	}
	r = value.failed ? err_nomem(c->err) : compact_input_add(c->rows, c->table, &in, &spoiled, &why);
	buf_free(&value);
	if (r < 0 && is_raw && !spoiled && r != -SONDE_NOMEM && !c->err->code) {
		leave_out(c, path, &why);
		return 1;
	}
	return r < 0 ? fail_at(c, path, &why) : r;
}

static int add_part(struct compaction *c, const char *name)
{
	char path[PATH_MAX], folder[PATH_MAX];

	if (!compact_path(c, name, path) || !path_print(folder, "%.*s", (int)strcspn(name, "/"), name))
		return too_long(c);
	return add_file(c, path, folder, false);
}

/* Adds a file of a host, and notes that its rows are there. 1: it is left out. */
static int add_raw(struct compaction *c, const char *name)
{
	char path[PATH_MAX], folder[PATH_MAX];
	int r;

	if (!raw_path(c, name, path) || !path_print(folder, "%.*s", (int)strcspn(name, "/"), name))
		return too_long(c);
	c->done->files++;
	r = add_file(c, path, folder, true);
	if (r == 0 && file_list_add(&c->known, name) < 0)
		r = err_nomem(c->err);
	return r;
}

/* All rows of the date. 1: there is a new one; 0: there is none. */
static int add_rows(struct compaction *c, const struct file_list *fresh)
{
	bool any = false;
	int r = 0;

	for (size_t i = 0; i < fresh->names.n && r >= 0; i++) {
		r = add_raw(c, fresh->names.at[i]);
		any |= r == 0;
	}
	for (size_t i = 0; any && i < c->parts.names.n && r >= 0; i++)
		r = add_part(c, c->parts.names.at[i]);
	return r < 0 ? r : any;
}

static int write_inputs(struct compaction *c, const char *dir)
{
	char path[PATH_MAX];
	struct output out;
	int r;

	file_list_sort(&c->known);
	if (!path_print(path, "%s/" INPUTS, dir))
		return too_long(c);
	r = output_open_shared(&out, path, NULL, 0, c->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->known.names.n; i++) {
		buf_str(&out.buf, c->known.names.at[i]);
		buf_char(&out.buf, '\n');
	}
	r = output_finish(&out, c->err);
	output_close(&out);
	return r;
}

/* The new files of the date take the place of the older ones. */
static int write_files(struct compaction *c)
{
	struct compact_written written = { 0 };
	char dir[PATH_MAX];
	int r = row_sorter_begin(c->rows);

	if (r == 0)
		r = workplace_begin(c->workplace, c->name, c->date, dir, c->err);
	if (r == 0)
		r = compact_output_write(dir, c->table, c->rows, &written, c->err);
	if (r == 0)
		r = write_inputs(c, dir);
	if (r == 0)
		r = workplace_finish(c->workplace, c->name, c->date, c->err);
	if (r == 0) {
		c->done->written += written.files;
		c->done->rows += written.rows;
	}
	return r;
}

static int compact_files(struct compaction *c, const struct file_list *fresh)
{
	uint64_t memory = c->opts->memory;
	int r;

	c->rows = row_sorter_new(fleet_tables[c->table->table].columns, compact_columns(c->table), &c->table->order,
				 memory ? memory : DEFAULT_MEMORY, c->err);
	if (!c->rows)
		return err_nomem(c->err);
	r = add_rows(c, fresh);
	if (r > 0)
		r = write_files(c);
	row_sorter_free(c->rows);
	return r;
}

static int find_fresh(const struct compaction *c, struct file_list *fresh)
{
	for (size_t i = 0; i < c->raw.names.n; i++)
		if (!file_list_has(&c->known, c->raw.names.at[i]) && file_list_add(fresh, c->raw.names.at[i]) < 0)
			return err_nomem(c->err);
	return 0;
}

static int remove_file(const struct compaction *c, const char *path)
{
	char folder[PATH_MAX];
	int fd, r, saved;

	if (!path_print(folder, "%.*s", path_dir_length(path) - 1, path))
		return -1;
	fd = path_open_below(c->workplace->v1, folder, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return -1;
	r = unlinkat(fd, path_base(path), 0);
	saved = errno;
	close(fd);
	errno = saved;
	return r;
}

/*
 * Removes the files of hosts that have been compacted. Compacted files are on the disk before the first one is removed.
 * Directories stay: a host may be about to write there.
 */
static int remove_raw(struct compaction *c)
{
	char path[PATH_MAX];
	int r = workplace_sync(c->workplace, c->err);

	for (size_t i = 0; i < c->raw.names.n && r == 0; i++) {
		if (!file_list_has(&c->known, c->raw.names.at[i]))
			continue;
		if (!raw_path(c, c->raw.names.at[i], path))
			return too_long(c);
		if (remove_file(c, path) < 0 && errno != ENOENT)
			return err_sys(c->err, errno, "cannot remove v1/%s", path);
		c->done->removed++;
	}
	return r;
}

static int compact_date(struct compaction *c)
{
	struct file_list fresh = { 0 };
	int r = list_files(c);

	if (r == 0) {
		leave_out_links(c, &c->raw);
		r = find_fresh(c, &fresh);
	}
	if (r == 0 && fresh.names.n)
		r = compact_files(c, &fresh);
	if (r == 0 && c->opts->remove && c->raw.names.n)
		r = remove_raw(c);
	file_list_free(&fresh);
	file_list_free(&c->raw);
	file_list_free(&c->known);
	file_list_free(&c->parts);
	return r;
}

static int compact_table(struct compaction *c)
{
	const char *only = c->opts->date;
	struct file_list dates = { 0 };
	int r = file_list_entries(&dates, c->workplace->v1, c->name, "date=", "", c->err);

	if (r == 0)
		leave_out_links(c, &dates);
	for (size_t i = 0; i < dates.names.n && r == 0; i++) {
		struct compaction one = *c;

		one.date = dates.names.at[i];
		if (!only || strcmp(one.date + strlen("date="), only) == 0)
			r = compact_date(&one);
	}
	file_list_free(&dates);
	return r;
}

int fleet_compact(const char *set, const struct sonde_fleet_compact_opts *opts, struct sonde_fleet_compacted *done,
		  struct sonde_error *err)
{
	struct workplace workplace;
	int r = workplace_open(&workplace, set, err);

	for (size_t i = 0; i < FLEET_TABLES && r == 0; i++) {
		struct compaction c = { .set = set, .opts = opts, .done = done, .err = err, .workplace = &workplace,
					.table = &compact_tables[i],
					.name = fleet_tables[compact_tables[i].table].name };

		r = compact_table(&c);
	}
	workplace_close(&workplace);
	return r;
}
