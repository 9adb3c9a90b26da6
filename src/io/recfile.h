/* SPDX-License-Identifier: MIT */
/*
 * recfile.h - the file of a recording, which has its name from the first byte on
 *
 * It is locked (flock(2)) while it is open, so that two recorders never write under one name.
 */
#ifndef IO_RECFILE_H
#define IO_RECFILE_H

#include "base/err.h"

struct recfile {
	int fd;                      /* -1: none */
	char *path;                  /* NULL: a stream, which nothing of this is done to */
	bool kept_old;               /* what was at the path is PATH.old now */
};

#define RECFILE_NONE ((struct recfile){ .fd = -1 })

/**
 * recfile_create - a new file at @path for its owner only
 * @access: O_WRONLY or O_RDWR
 * A recording that is there already is renamed to PATH.old, and a file without content is removed; a file that another
 * recorder still writes is left alone, and this fails. Nothing is written through a symbolic link.
 */
int recfile_create(struct recfile *f, const char *path, int access, struct sonde_error *err);

/* Nothing was recorded: the file is removed, and the old one gets its name back. Closes as recfile_close() does. */
void recfile_discard(struct recfile *f);

void recfile_close(struct recfile *f);

#endif
