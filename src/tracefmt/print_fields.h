/* SPDX-License-Identifier: MIT */
/* print_fields.h - all fields of a record as " name=value" */
#ifndef TRACEFMT_PRINT_FIELDS_H
#define TRACEFMT_PRINT_FIELDS_H

#include "tracefmt/tracefmt.h"

/* " name=value" for every field but the common ones. */
void tracefmt_print_fields(const struct tracefmt_event *e, struct sonde_bytes raw, struct buf *out);

#endif
