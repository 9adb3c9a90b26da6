/* SPDX-License-Identifier: MIT */
/*
 * redact.h - a trace without what tells whose it is
 *
 * Names of commands, paths, cgroups, the host, arguments and strings of tracepoints get pseudonyms, the same one every time, so
 * that a report groups as before. Copies of stacks and what programs printed are taken out; so is whatever may hold names in a
 * layout that is not known. What the kernel calls its own stays: functions, modules, events, machine. docs/redact.md is the list.
 */
#ifndef PERFDATA_REDACT_H
#define PERFDATA_REDACT_H

#include "perfdata/pseudonym.h"
#include "perfdata/rewrite.h"

struct redact;

/* To be set up before rewrite_run(): what it does is in w->change, w->change_feature and w->verify. redact_end() in any case. */
int redact_begin(struct redact **out, struct rewrite *w);

void redact_end(struct redact *r);

/**
 * redact_verify - looks for everything that was replaced in the perf.data at @path
 * Returns 0 if none of it is there, -SONDE_CORRUPT and where it was found otherwise.
 */
int redact_verify(const struct needles *removed, const char *path, struct sonde_error *err);

#endif
