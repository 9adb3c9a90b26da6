/* SPDX-License-Identifier: MIT */
/* needed_members.h - the members of a bundle: the symbols, lines and parts of binaries that a trace needs */
#ifndef ANALYZE_NEEDS_NEEDED_MEMBERS_H
#define ANALYZE_NEEDS_NEEDED_MEMBERS_H

#include "analyze/needs/bundle_needs.h"
#include "bundle/writer.h"

/* Writes all members, after bundle_needs_finish(). 0 or negative. */
int needed_members_write(const struct bundle_needs *needs, struct bundle_writer *w, struct sonde_error *err);

#endif
