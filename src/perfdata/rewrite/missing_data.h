/* SPDX-License-Identifier: MIT */
/* missing_data.h - a directory of records whose `data` is not there under its name */
#ifndef PERFDATA_REWRITE_MISSING_DATA_H
#define PERFDATA_REWRITE_MISSING_DATA_H

#include "io/image.h"
#include "model/rewriting.h"

/* See struct rewriter. */
int perfdata_open_without_data(struct sonde_rewrite *handle, const char *path, struct image *im);

#endif
