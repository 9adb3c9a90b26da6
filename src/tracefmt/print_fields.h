/* SPDX-License-Identifier: MIT */
/* print_fields.h - fields of a record: the value of one, and all as " name=value" */
#ifndef TRACEFMT_PRINT_FIELDS_H
#define TRACEFMT_PRINT_FIELDS_H

#include "tracefmt/tracefmt.h"

/* " name=value" for every field but the common ones. */
void tracefmt_print_fields(const struct tracefmt_event *e, struct sonde_bytes raw, struct buf *out);

#define TRACEFMT_CUT "(cut)"     /* stands for a field that is not whole */

/* The value of one field. */
void tracefmt_print_field(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f,
			  struct sonde_bytes raw, struct buf *out);

#endif
