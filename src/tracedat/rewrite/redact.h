/* SPDX-License-Identifier: MIT */
/*
 * redact.h - a trace.dat without what tells whose it is
 *
 * Paths, strings and bytes in events, markers, names of hosts, guests and buffers, and names of probes get pseudonyms,
 * the same one every time, or become zeros. Names of commands, formats, and names of the kernel stay. Options and
 * sections that are not known are left out. The tables: of options in redact_option.c, of the fields of events in
 * tracefmt/redact/fields.c, of sections in redact.c; docs/redact.md is the list for users.
 */
#ifndef TRACEDAT_REWRITE_REDACT_H
#define TRACEDAT_REWRITE_REDACT_H

#include "tracedat/rewrite/rewrite.h"
#include "tracefmt/field.h"
#include "tracefmt/redact/pseudonym.h"
#include "tracefmt/tracefmt.h"

struct dat_redact {
	struct dat_rewrite *w;
	struct pseudonyms names;
	struct tracefmt *formats;
	struct tracefmt_common common;
	uint8_t *event;              /* room for one, as long as the longest one so far */
	size_t event_bytes;
};

/* Changes all parts of @w and what dat_rewrite_finish() will write and check; dat_redact_end() in any case. */
int dat_redact_begin(struct dat_redact *r, struct dat_rewrite *w);
void dat_redact_end(struct dat_redact *r);

#endif
