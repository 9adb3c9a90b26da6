/* SPDX-License-Identifier: MIT */
/* dangling.h - a directory of records whose `data` is not there under its name */
#ifndef PERFDATA_REWRITE_DANGLING_H
#define PERFDATA_REWRITE_DANGLING_H

#include "io/image.h"
#include "model/rewriting.h"

/* See struct rewriter. */
int perfdata_open_dangling(struct sonde_rewrite *handle, const char *path, struct image *im);

#endif
