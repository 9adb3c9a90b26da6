/* SPDX-License-Identifier: MIT */
/* binaries.h - the binaries of a profile as a table, JSON or separated values */
#ifndef EXPORT_SUMMARY_BINARIES_H
#define EXPORT_SUMMARY_BINARIES_H

#include <sonde/profile.h>

#include "base/buf.h"

/* Each writes one list; @n rows. */
void summary_binaries_text(const struct sonde_profile_binary *const *rows, size_t n, struct buf *out);
void summary_binaries_json(const struct sonde_profile_binary *const *rows, size_t n, struct buf *out);
void summary_binaries_separated(const struct sonde_profile_binary *const *rows, size_t n, const char *separator,
				struct buf *out);

#endif
