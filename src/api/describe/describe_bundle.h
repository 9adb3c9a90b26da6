/* SPDX-License-Identifier: MIT */
/* describe_bundle.h - the bundle behind a recording in the description of a trace; nothing where there is none. */
#ifndef API_DESCRIBE_DESCRIBE_BUNDLE_H
#define API_DESCRIBE_DESCRIBE_BUNDLE_H

#include <sonde/trace.h>

#include "base/json.h"

void describe_bundle(struct buf *out, const struct sonde_trace *t);
void describe_bundle_json(struct json *j, const struct sonde_trace *t);

#endif
