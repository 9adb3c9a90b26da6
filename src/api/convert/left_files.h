/* SPDX-License-Identifier: MIT */
/* left_files.h - a trace.dat of which a killed recorder has left only the files of the CPUs */
#ifndef API_CONVERT_LEFT_FILES_H
#define API_CONVERT_LEFT_FILES_H

#include "base/buf.h"
#include "model/rewriting.h"

/**
 * left_files_open - make the beginning of such a file, up to its pages, as an image
 * @path: of the missing file
 * @made: the bytes of the image, which outlive @im; the caller frees them in any case
 *
 * The files of the CPUs do not describe their events. If they were written after the boot of this machine, the running
 * kernel's formats are taken, and the ledger says so. Returns 1, 0 if there are no such files, or negative.
 */
int left_files_open(struct sonde_rewrite *w, const char *path, struct buf *made, struct image *im);

#endif
