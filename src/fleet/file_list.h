/* SPDX-License-Identifier: MIT */
/* file_list.h - names of files in a directory of a data set, in order */
#ifndef FLEET_FILE_LIST_H
#define FLEET_FILE_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* {0} is empty. */
struct file_list {
	struct arena text;
	VEC(const char *) names;     /* sorted by their bytes */
	VEC(const char *) links;     /* directories that were not read: a part of their path is a symbolic link */
};

/**
 * file_list_entries - the names in a directory that begin and end with these texts, without the names that begin with
 * '.' or '_': these belong to files that are not whole, or to no table
 * @dir: below the directory @v1, as every path here. A directory that does not exist has no names. 0 or negative.
 */
int file_list_entries(struct file_list *l, int v1, const char *dir, const char *begin, const char *end,
		      struct sonde_error *err);

/* The whole Parquet files in the directories KEY=... of a directory, as "KEY=value/name". */
int file_list_partitions(struct file_list *l, int v1, const char *dir, const char *key, struct sonde_error *err);

/* A file of one name a line; one that does not exist has none. */
int file_list_read(struct file_list *l, int v1, const char *path, struct sonde_error *err);

/* Adds a name; file_list_sort() when all have been added. 0 or -SONDE_NOMEM */
int file_list_add(struct file_list *l, const char *name);
void file_list_sort(struct file_list *l);

bool file_list_has(const struct file_list *l, const char *name);

void file_list_free(struct file_list *l);

#endif
