/* SPDX-License-Identifier: MIT */
/*
 * output.h - a new file that has its name only once it is whole
 *
 * It grows without a name in the same directory, or under another name where the filesystem knows no files without one,
 * and takes its own with rename(2). So a run that fails or is killed leaves no half file behind, and what was there
 * before stays until it is replaced.
 */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/vec.h"
#include "io/image.h"

/* Which file it is, whatever its name. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

struct output {
	struct buf buf;              /* what is written in a row */
	char *path, *growing;        /* growing: where it can be read until then. NULL: the standard output */
	bool nameless;               /* growing is a link in /proc */
};

/**
 * output_open - begin a new file at @path for its owner only; "-" is the standard output
 * @from: the input, which must not be the same file; may be NULL
 * Nothing is written through a symbolic link, nor over anything but a regular file.
 */
int output_open(struct output *o, const char *path, const struct image *from, struct sonde_error *err);

/**
 * output_open_shared - the same for a file that others may read, as the umask says
 * @inputs: files that it must not replace; a directory stands for all files in it
 */
int output_open_shared(struct output *o, const char *path, const struct file_id *inputs, size_t nr_inputs,
		       struct sonde_error *err);

static inline bool output_can_seek(const struct output *o)
{
	return o->path;
}

struct output_dir_file {
	char *name;
	int fd;                      /* of a file without a name; -1: it is in the directory */
};

/*
 * A new directory that has its name only once it is whole. Until then there is none, and its files have no names, where
 * the filesystem knows such files and as many can be open: a run that is killed leaves nothing.
 */
struct output_dir {
	int fd;                      /* of the directory that its files are made in; -1: there is no output */
	char *path, *growing;        /* growing: where it can be read until then; NULL: nowhere */
	VEC(struct output_dir_file) files;
};

/* There is nothing at @path, or an empty directory. */
int output_dir_open(struct output_dir *d, const char *path, struct sonde_error *err);

/* A new file in it, to be finished and closed by itself. */
int output_open_in(struct output *o, struct output_dir *d, const char *name, struct sonde_error *err);

/* Lets the files so far be read below d->growing. */
int output_dir_show(struct output_dir *d, struct sonde_error *err);

/* All files are finished: the directory gets its name. */
int output_dir_finish(struct output_dir *d, struct sonde_error *err);

/* Releases everything; what has no name by then is removed. */
void output_dir_close(struct output_dir *d);

/* Where the next byte goes. */
static inline uint64_t output_at(const struct output *o)
{
	return o->buf.written + o->buf.n;
}

/* Copies n bytes of an image; 0 or negative. */
int output_copy(struct output *o, struct image *im, uint64_t at, uint64_t n, struct sonde_error *err);

/* Overwrites what was written before. */
int output_patch(struct output *o, const void *p, size_t n, uint64_t at, struct sonde_error *err);

/* All is written: the file gets its name. */
int output_finish(struct output *o, struct sonde_error *err);

/* Releases everything; what has no name by then is removed. */
void output_close(struct output *o);

#endif
