/* SPDX-License-Identifier: MIT */
/* text.h - how an event is printed, as far as that does not depend on the record */
#ifndef TRACEFMT_TEXT_H
#define TRACEFMT_TEXT_H

#include "tracefmt/printer.h"
#include "tracefmt/program.h"

struct tracefmt_text {
	/* The print format, compiled; NULL if it cannot be: unprintable says why, and all
	 * fields are printed instead. */
	const struct tracefmt_program *program;
	const char *unprintable;
	const struct printer *printer;                                /* NULL: none */
	const struct sonde_tracepoint_field *fields[PRINTER_FIELDS];  /* of the printer */
};

/* Made by the first thread that asks; NULL when out of memory. */
const struct tracefmt_text *text_of(const struct tracefmt_event *e);

/* Why the print format of an event cannot be compiled; NULL if it can. */
const char *tracefmt_unprintable(const struct tracefmt_event *e);

#endif
