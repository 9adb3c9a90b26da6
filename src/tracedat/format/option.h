/* SPDX-License-Identifier: MIT */
/* option.h - the options of a trace.dat: one row each; an option without a row is carried as it is */
#ifndef TRACEDAT_FORMAT_OPTION_H
#define TRACEDAT_FORMAT_OPTION_H

#include "model/meta.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "tracedat/format/ids.h"

struct dat_option {
	const char *name;            /* NULL: no such option */
	/* Prints its value as text; NULL: the value is text. */
	void (*show)(struct buf *out, struct cursor *c);
	bool version_7;              /* only there */
};

/* NULL for an id without a row. */
const struct dat_option *dat_option_find(uint32_t id);

/* The name of a section for messages: never NULL. */
const char *dat_section_name(uint16_t id);

#endif
