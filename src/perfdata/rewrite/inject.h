/* SPDX-License-Identifier: MIT */
/*
 * inject.h - build ids for a trace that was recorded without
 *
 * Which files are mapped executable is seen as the records pass. Their ids, from the mappings that have one or from the
 * files as they are on this machine now, go into the feature BUILD_ID, into HEADER_BUILD_ID records of a stream, or
 * into the MMAP2 records themselves.
 */
#ifndef PERFDATA_REWRITE_INJECT_H
#define PERFDATA_REWRITE_INJECT_H

#include "perfdata/rewrite/redact.h"

struct inject;

/* inject_end() in any case. */
int inject_begin(struct inject **out, struct rewrite *w, bool into_mmap2);

/* Names are changed on their way out; NULL: they are not. */
void inject_redacted(struct inject *j, struct redact *redact);

/* Takes in a record and gives it its build id: 0 or negative. Before any other change, since it looks at names. */
int inject_record(struct inject *j, struct rewrite_record *record);

/* When all records have passed: the feature of a file. */
int inject_feature(struct inject *j);

void inject_end(struct inject *j);

#endif
