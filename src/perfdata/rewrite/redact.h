/* SPDX-License-Identifier: MIT */
/*
 * redact.h - a trace without what tells whose it is
 *
 * Names of commands, paths, cgroups, the host, arguments and strings of tracepoints get pseudonyms, the same one every
 * time, so that a report groups as before. Copies of stacks and what programs printed are taken out; so is whatever may
 * hold names in a layout that is not known. Names of the kernel stay: functions, modules, events, machine.
 * docs/redact.md is the list.
 */
#ifndef PERFDATA_REWRITE_REDACT_H
#define PERFDATA_REWRITE_REDACT_H

#include "tracefmt/redact/pseudonym.h"
#include "perfdata/rewrite/rewrite.h"

struct redact;

/* Changes the metadata; redact_end() in any case. */
int redact_begin(struct redact **out, struct rewrite *w);

/* The changes of a record and of a feature: see struct rewrite. */
int redact_record(struct redact *r, struct rewrite_record *record);
int redact_feature(struct redact *r, uint32_t id, struct buf *out);

/* Gives build ids that were found since other file names, which live as long as the metadata. 0 or -SONDE_NOMEM. */
int redact_build_ids(struct redact *r, struct sonde_build_id *ids, size_t n);

/* Looks for everything that was replaced in what has been written. */
int redact_check(struct redact *r);

void redact_end(struct redact *r);

#endif
