/* SPDX-License-Identifier: MIT */
/* formats.h - the formats of profiles that can be imported: one row for each */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "import/import.h"

/* The begin of a file by which its format is recognised. */
#define IMPORT_HEAD_BYTES 65536

/* The format of a file by its first bytes, or as a last resort by its name; NULL: none. */
const struct import_format *import_recognise(const uint8_t *head, size_t n, bool whole, const char *path);

/*
 * Reads a file of that format, compressed or not, into a profile. 0, or the first failure, with the samples that could
 * be delivered in the profile.
 */
int import_file(struct import *im, const struct import_format *format, const uint8_t *bytes, size_t n);

#endif
