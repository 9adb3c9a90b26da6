/* SPDX-License-Identifier: MIT */
/* version_convert.h - converts the parts of one version of trace.dat to those of the other */
#ifndef TRACEDAT_WRITE_VERSION_CONVERT_H
#define TRACEDAT_WRITE_VERSION_CONVERT_H

#include "model/ledger.h"
#include "tracedat/format/file.h"

/* Converts the parts of @f to version 6 or 7; parts that the version cannot hold go to @losses, which may be NULL. */
int dat_version_convert(struct dat_file *f, uint32_t version, struct ledger *losses, struct sonde_error *err);

#endif
