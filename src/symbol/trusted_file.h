/* SPDX-License-Identifier: MIT */
/* trusted_file.h - files that a process writes about itself to a directory for all */
#ifndef SYMBOL_TRUSTED_FILE_H
#define SYMBOL_TRUSTED_FILE_H

#include <sys/stat.h>

#include "base/err.h"

/*
 * Anyone can put a file into /tmp: what another user says about our processes is not believed. Opens a plain file of
 * root's or our own: the descriptor, or negative. @out may be NULL.
 */
int trusted_file_open(const char *path, struct stat *out, struct sonde_error *err);

#endif
