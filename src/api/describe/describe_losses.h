/* SPDX-License-Identifier: MIT */
/* describe_losses.h - the loss ledger in the description of a trace. */
#ifndef API_DESCRIBE_DESCRIBE_LOSSES_H
#define API_DESCRIBE_DESCRIBE_LOSSES_H

#include <sonde/trace.h>

#include "base/json.h"

/* @counted: all events have been read, so no more losses can come */
void describe_losses(struct buf *out, const struct sonde_trace *t, bool counted);
void describe_losses_json(struct json *j, const struct sonde_trace *t);

#endif
