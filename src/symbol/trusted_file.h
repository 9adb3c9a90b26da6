/* SPDX-License-Identifier: MIT */
/* trusted_file.h - files that a process writes about itself to a directory for all */
#ifndef SYMBOL_TRUSTED_FILE_H
#define SYMBOL_TRUSTED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* Whose files are believed beside those of root and our own. */
struct file_trust {
	bool all;                    /* those of everybody */
	int32_t pid;                 /* those of the user of this process, if it runs: see process_files.h */
	int64_t recorded_s;
};

/*
 * Anyone can put a file into /tmp: what another user says about a process is not believed. Opens a plain file of those
 * that are: the descriptor, or negative. @out may be NULL.
 */
int trusted_file_open(const char *path, const struct file_trust *trust, struct stat *out, struct sonde_error *err);

#endif
