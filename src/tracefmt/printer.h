/* SPDX-License-Identifier: MIT */
/*
 * printer.h - events whose text is not, or not only, what their print format says
 *
 * Records of the tracers themselves (functions, stacks, trace_printk) are described by formats that do not tell how
 * they are shown, and trace-cmd has plug-ins that print some tracepoints in another way. Each such event is a row of
 * plugin/table.c.
 */
#ifndef TRACEFMT_PRINTER_H
#define TRACEFMT_PRINTER_H

#include "tracefmt/print.h"
#include "tracefmt/seq_buf.h"
#include "tracefmt/tracefmt.h"

#define PRINTER_FIELDS 12

struct tracefmt_program;

/* A record on its way to text. */
struct printing {
	const struct tracefmt_event *event;
	const struct tracefmt_program *program;              /* of its print format; NULL if that cannot be compiled */
	const struct sonde_tracepoint_field *const *fields;  /* of the row's names; NULL: the event has no such field */
	const struct tracefmt_context *context;              /* NULL: nothing is known from outside */
	struct sonde_bytes raw;
	struct seq_buf *out;
};

/* Styles in which a printer is used. */
enum { PRINTER_ALWAYS = 1, PRINTER_TRACE_CMD = 2 };

struct printer {
	const char *system, *event;
	uint8_t when;                /* PRINTER_* */
	/* the first so many fields: an event without them is printed by its print format */
	uint8_t needs;
	const char *fields[PRINTER_FIELDS];
	/* Returns whether the text is whole; false: that of the print format follows what has been printed. */
	bool (*print)(const struct printing *p);
};

/* The row of an event, NULL if it has none. Sets @fields to those that the row names. */
const struct printer *printer_find(const struct tracefmt_event *e, const struct sonde_tracepoint_field **fields);

#endif
