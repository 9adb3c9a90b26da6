/* SPDX-License-Identifier: MIT */
/* version_convert.h - the parts of one version of trace.dat become those of the other */
#ifndef TRACEDAT_WRITE_VERSION_CONVERT_H
#define TRACEDAT_WRITE_VERSION_CONVERT_H

#include "model/ledger.h"
#include "tracedat/format/file.h"

/* The parts of @f become those of a file of version 6 or 7; what has no place there is told to
 * @losses, which may be NULL. */
int dat_version_convert(struct dat_file *f, uint32_t version, struct ledger *losses, struct sonde_error *err);
/* A part of bytes in memory that the file owns; those of metadata without content when @p is NULL. */
int dat_file_add_bytes(struct dat_file *f, uint16_t id, const void *p, size_t n, size_t *number);

#endif
