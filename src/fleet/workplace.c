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

#define WORKPLACE ".compacting"

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

/* A directory of the workplace, with all that is in it. */
static void remove_below(const struct workplace *w, const char *name)
{
	char path[PATH_MAX];

	if (path_print(path, "%s/v1/" WORKPLACE "/%s", w->set, name))
		remove_tree(path);
}

/* The directory SET/v1/compact/TABLE, or -1. */
static int open_parent(const struct workplace *w, const char *table, int table_length)
{
	char path[PATH_MAX];

	if (path_print(path, "compact/%.*s", table_length, table))
		return path_open_below(w->v1, path, O_RDONLY | O_DIRECTORY);
	errno = ENAMETOOLONG;
	return -1;
}

/* Gives a directory with the name "old.TABLE.DATE" the place that it lost, if that is free. */
static bool put_back(const struct workplace *w, const char *name)
{
	const char *table, *date;
	struct stat st;
	int parent;
	bool done;

	if (strncmp(name, OLD, strlen(OLD)) != 0)
		return false;
	table = name + strlen(OLD);
	date = strchr(table, '.');
	if (!date)
		return false;
	parent = open_parent(w, table, (int)(date - table));
	if (parent < 0)
		return false;
	done = fstatat(parent, date + 1, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	       renameat(w->lock, name, parent, date + 1) == 0;
	close(parent);
	return done;
}

/* An interrupted compaction has left these. A directory that lost its place and was not replaced goes back. */
static int tidy(struct workplace *w, struct sonde_error *err)
{
	struct file_list left = { 0 };
	int r = file_list_entries(&left, w->v1, WORKPLACE, "", "", err);

	for (size_t i = 0; i < left.names.n && r == 0; i++)
		if (!put_back(w, left.names.at[i]))
			remove_below(w, left.names.at[i]);
	file_list_free(&left);
	return r;
}

/* The lock is held, or w->lock is -1: only its owner may touch the files of the workplace. */
static int take_lock(struct workplace *w, struct sonde_error *err)
{
	int fd = path_open_below(w->v1, WORKPLACE, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return err_sys(err, errno, "cannot open v1/" WORKPLACE);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int r = errno == EWOULDBLOCK ?
			err_set(err, SONDE_DENIED, SONDE_NONE, "another process compacts this data set") :
			err_sys(err, errno, "cannot lock v1/" WORKPLACE);

		close(fd);
		return r;
	}
	w->lock = fd;
	return 0;
}

int workplace_open(struct workplace *w, const char *set, struct sonde_error *err)
{
	char path[PATH_MAX];
	int r;

	*w = (struct workplace){ .set = set, .v1 = -1, .lock = -1 };
	if (!path_print(path, "%s/v1", set))
		return too_long(w, err);
	if (access(set, F_OK) < 0)
		return err_sys(err, errno, "cannot open");
	if (access(path, F_OK) < 0)
		return err_set(err, SONDE_FORMAT, SONDE_NONE,
			       "no data set of profiles: there is no directory v1 in it");
	w->v1 = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->v1 < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!path_print(path, "%s/v1/" WORKPLACE, set))
		return too_long(w, err);
	r = path_make_directory(path, err);
	if (r == 0)
		r = take_lock(w, err);
	return r < 0 ? r : tidy(w, err);
}

int workplace_begin(struct workplace *w, const char *table, const char *date, char path[PATH_MAX],
		    struct sonde_error *err)
{
	if (!path_print(path, "%s/v1/" WORKPLACE "/" NEW "%s.%s", w->set, table, date))
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

/* The directory @made of the workplace becomes @date of the directory @parent; the older one becomes @made or @old. */
static int replace(const struct workplace *w, int parent, const char *made, const char *date, const char *old)
{
	if (renameat2(w->lock, made, parent, date, RENAME_EXCHANGE) == 0)
		return 0;
	/* In two steps: tidy() knows the state between them. */
	if (renameat(parent, date, w->lock, old) < 0 && errno != ENOENT)
		return -1;
	return renameat(w->lock, made, parent, date);
}

int workplace_finish(struct workplace *w, const char *table, const char *date, struct sonde_error *err)
{
	char made[PATH_MAX], old[PATH_MAX];
	int r = make_parents(w, table, err), parent;

	if (r < 0)
		return r;
	if (!path_print(made, NEW "%s.%s", table, date) || !path_print(old, OLD "%s.%s", table, date))
		return too_long(w, err);
	r = workplace_sync(w, err);  /* no other file may have the rows of the older directory */
	if (r < 0)
		return r;
	parent = open_parent(w, table, (int)strlen(table));
	if (parent < 0 || replace(w, parent, made, date, old) < 0)
		r = err_sys(err, errno, "cannot give v1/compact/%s/%s its place", table, date);
	if (parent >= 0)
		close(parent);
	if (r < 0)
		return r;
	remove_below(w, made);       /* the older directory */
	remove_below(w, old);
	return 0;
}

void workplace_close(struct workplace *w)
{
	struct sonde_error none = { .sz = sizeof(none) };

	if (w->lock >= 0) {
		tidy(w, &none);
		close(w->lock);
	}
	if (w->v1 >= 0)
		close(w->v1);
	w->v1 = w->lock = -1;
}
