/* SPDX-License-Identifier: MIT */
#include "fleet/workplace.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "fleet/file_list.h"

/* Names in the workplace: NEW.table.date is being made, OLD.table.date has lost its place. */
#define NEW "new."
#define OLD "old."

static int too_long(const struct workplace *w, struct sonde_error *err)
{
	return err_set(err, SONDE_USAGE, SONDE_NONE, "a path in %s is too long", w->set);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Whether the path of @name, "old.TABLE.DATE", could be made; to its place in the compacted table. */
static bool place_of(const struct workplace *w, const char *name, char path[PATH_MAX])
{
	const char *date = strchr(name + strlen(OLD), '.');

	return date && path_print(path, "%s/v1/compact/%.*s/%s", w->set, (int)(date - name - (int)strlen(OLD)),
				  name + strlen(OLD), date + 1);
}

/* An interrupted compaction has left these. A directory that lost its place and was not replaced goes back. */
static int tidy(struct workplace *w, struct sonde_error *err)
{
	struct file_list left = { 0 };
	char dir[PATH_MAX], path[PATH_MAX], place[PATH_MAX];
	int r = path_print(dir, "%s/v1/.compacting", w->set) ? file_list_entries(&left, dir, "", "", err) :
							       too_long(w, err);

	for (size_t i = 0; i < left.names.n && r == 0; i++) {
		const char *name = left.names.at[i];

		if (!path_print(path, "%s/%s", dir, name))
			continue;
		if (strncmp(name, OLD, strlen(OLD)) != 0 || !place_of(w, name, place) ||
		    access(place, F_OK) == 0 || rename(path, place) < 0)
			remove_tree(path);
	}
	file_list_free(&left);
	return r;
}

int workplace_open(struct workplace *w, const char *set, struct sonde_error *err)
{
	char path[PATH_MAX];
	int r;

	*w = (struct workplace){ .set = set, .lock = -1 };
	if (!path_print(path, "%s/v1", set))
		return too_long(w, err);
	if (access(set, F_OK) < 0)
		return err_sys(err, errno, "cannot open");
	if (access(path, F_OK) < 0)
		return err_set(err, SONDE_FORMAT, SONDE_NONE,
			       "no data set of profiles: there is no directory v1 in it");
	if (!path_print(path, "%s/v1/.compacting", set))
		return too_long(w, err);
	r = path_make_directory(path, err);
	if (r < 0)
		return r;
	w->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->lock < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (flock(w->lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ?
			err_set(err, SONDE_DENIED, SONDE_NONE, "another process compacts this data set") :
			err_sys(err, errno, "cannot lock %s", path);
	return tidy(w, err);
}

int workplace_begin(struct workplace *w, const char *table, const char *date, char path[PATH_MAX],
		    struct sonde_error *err)
{
	if (!path_print(path, "%s/v1/.compacting/" NEW "%s.%s", w->set, table, date))
		return too_long(w, err);
	remove_tree(path);
	return path_make_directory(path, err);
}

/* SET/v1/compact/TABLE */
static int make_parents(const struct workplace *w, const char *table, struct sonde_error *err)
{
	char path[PATH_MAX];
	int r = path_print(path, "%s/v1/compact", w->set) ? path_make_directory(path, err) : too_long(w, err);

	if (r == 0)
		r = path_print(path, "%s/v1/compact/%s", w->set, table) ? path_make_directory(path, err) :
									  too_long(w, err);
	return r;
}

int workplace_sync(struct workplace *w, struct sonde_error *err)
{
	return syncfs(w->lock) < 0 ? err_sys(err, errno, "cannot write %s to the disk", w->set) : 0;
}

/* In two steps: tidy() knows the state between them. */
static int replace(const char *made, const char *place, const char *old)
{
	return rename(place, old) < 0 && errno != ENOENT ? -1 : rename(made, place);
}

int workplace_finish(struct workplace *w, const char *table, const char *date, struct sonde_error *err)
{
	char made[PATH_MAX], old[PATH_MAX], place[PATH_MAX];
	int r = make_parents(w, table, err);

	if (r < 0)
		return r;
	if (!path_print(made, "%s/v1/.compacting/" NEW "%s.%s", w->set, table, date) ||
	    !path_print(old, "%s/v1/.compacting/" OLD "%s.%s", w->set, table, date) ||
	    !path_print(place, "%s/v1/compact/%s/%s", w->set, table, date))
		return too_long(w, err);
	r = workplace_sync(w, err);  /* no other file may have the rows of the older directory */
	if (r < 0)
		return r;
	if (renameat2(AT_FDCWD, made, AT_FDCWD, place, RENAME_EXCHANGE) < 0 && replace(made, place, old) < 0)
		return err_sys(err, errno, "cannot give %s its place", place);
	remove_tree(made);           /* the older directory */
	remove_tree(old);
	return 0;
}

void workplace_close(struct workplace *w)
{
	struct sonde_error none = { .sz = sizeof(none) };

	if (w->lock < 0)
		return;
	tidy(w, &none);
	close(w->lock);
	w->lock = -1;
}
