/* SPDX-License-Identifier: MIT */
/* old_recording.h - a recording, a file or a directory, that makes way for a new one of its name */
#ifndef IO_OLD_RECORDING_H
#define IO_OLD_RECORDING_H

#include <stdbool.h>

#include "base/err.h"

/* Whether a directory is a recording, which has a file `data`. */
bool old_recording_is_directory(const char *path);

/**
 * old_recording_keep - rename what is at @path to PATH.old, in the place of the recording that has that name
 * Returns 1, 0 if there is nothing at @path, or a failure: also if PATH.old is a directory with something else in it.
 */
int old_recording_keep(const char *path, struct sonde_error *err);

/* Removes a directory, the files in it, and those in its kcore_dir. 0 or a negative errno: something else is in it. */
int old_recording_remove_directory(const char *path);

#endif
