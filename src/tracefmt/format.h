/* SPDX-License-Identifier: MIT */
/* format.h - the text of a `format` file of tracefs */
#ifndef TRACEFMT_FORMAT_H
#define TRACEFMT_FORMAT_H

#include "tracefmt/tracefmt.h"

/**
 * format_parse - name, id, fields and print format of one text
 * @e: system, swap and long_size are set by the caller
 * Everything that @e points to afterwards is allocated in @arena. Returns 0, -SONDE_CORRUPT or -SONDE_NOMEM.
 */
int format_parse(struct tracefmt_event *e, struct sonde_str text, struct arena *arena, struct sonde_error *err);

#endif
