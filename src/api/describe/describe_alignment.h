/* SPDX-License-Identifier: MIT */
/* describe_alignment.h - how the times of one of several traces are aligned, in its description */
#ifndef API_DESCRIBE_DESCRIBE_ALIGNMENT_H
#define API_DESCRIBE_DESCRIBE_ALIGNMENT_H

#include <sonde/trace.h>

#include "base/json.h"

void describe_alignment(struct buf *out, const struct sonde_trace *t);
void describe_alignment_json(struct json *j, const struct sonde_trace *t);

#endif
