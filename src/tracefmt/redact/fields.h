/* SPDX-License-Identifier: MIT */
/*
 * fields.h - the raw bytes of a kernel event without what tells whose it is
 *
 * Nothing is kept that no field describes: the new bytes begin as zeros, and each field puts into them what its kind
 * allows. Lengths and places stay, so that a reader finds each field where it was. One table for both formats:
 *
 *	numbers, arrays of numbers of two bytes and more, pointers     stay
 *	strings                                                        a pseudonym of their length, or a part of it
 *	names of commands                                              the same, or themselves
 *	arrays of bytes, fields of other sizes                         zeros
 *	what lies between and behind the fields                        zeros
 *	events of tracers that say less than they hold                 see the table of fields.c
 */
#ifndef TRACEFMT_REDACT_FIELDS_H
#define TRACEFMT_REDACT_FIELDS_H

#include "tracefmt/redact/pseudonym.h"
#include "tracefmt/tracefmt.h"

/* The bytes of a field become ... */
enum redact_kind {
	REDACT_NUMBERS,              /* stay */
	REDACT_USER_ADDRESSES,       /* words that can be no address become zeros */
	REDACT_COMM,                 /* stays up to its NUL */
	REDACT_TEXT,                 /* gets a pseudonym */
	REDACT_BYTES,                /* zeros */
};

/* The bytes of a field, and what becomes of them. False: it has none in @raw. @keeps_comms: names of commands stay. */
bool redact_field(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		  bool keeps_comms, enum redact_kind *kind, struct sonde_bytes *out);

/**
 * redact_fields - writes the new bytes of an event to @to, which has raw.len bytes and does not overlap them
 * @e: NULL: its format is not known, and nothing but the common fields stays. Returns 0 or -SONDE_NOMEM.
 */
int redact_fields(struct pseudonyms *names, const struct tracefmt_event *e, struct sonde_bytes raw, bool keeps_comms,
		  uint8_t *to);

#endif
