/* SPDX-License-Identifier: MIT */
/* left_files.h - a trace.dat of which a killed recorder has left only the files of its CPUs */
#ifndef API_LEFT_FILES_H
#define API_LEFT_FILES_H

#include "base/buf.h"
#include "model/rewriting.h"

/**
 * left_files_open - what such a file would say before its pages come, as an image
 * @path: of the file that is not there
 * @made: its bytes, which have to outlive @im; the caller's to free, in any case
 *
 * Nothing in the files says what their events are. When they were written since this machine has booted, that is taken
 * from the kernel that runs; the ledger says so. Returns 1, 0 when there are no such files, or negative.
 */
int left_files_open(struct sonde_rewrite *w, const char *path, struct buf *made, struct image *im);

#endif
