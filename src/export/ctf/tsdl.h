/* SPDX-License-Identifier: MIT */
/* tsdl.h - the metadata of a CTF trace: the layout of its packets and events in the words of TSDL */
#ifndef EXPORT_CTF_TSDL_H
#define EXPORT_CTF_TSDL_H

#include "export/events/event_rows.h"

/* How a field of a tracepoint lies in an event. */
enum tsdl_kind {
	TSDL_LEFT_OUT,               /* its name is no identifier, or another field has it */
	TSDL_U64, TSDL_I64, TSDL_ADDRESS,
	TSDL_TEXT,                   /* up to a NUL */
	TSDL_BYTES,                  /* after their number, 16 bits */
	TSDL_U64S, TSDL_I64S,        /* the same of 64-bit integers */
};

/* The kinds of the fields of an event, to be freed by the caller; NULL when out of memory. */
enum tsdl_kind *tsdl_kinds_new(const struct tracefmt_event *format);

/* The text of the file "metadata"; @uuid is in each packet, too. 0 or -SONDE_NOMEM. */
int tsdl_put(const struct event_rows *e, const uint8_t uuid[16], struct buf *out);

#endif
