/* SPDX-License-Identifier: MIT */
/* attr_text.h - an attr for people and for programs. */
#ifndef PERFDATA_ATTR_TEXT_H
#define PERFDATA_ATTR_TEXT_H

#include <sonde/event.h>

#include "base/json.h"

/* ", type = 1, size = 128, config = 0x9, ...": the fields that are not 0, in the words of `perf evlist -v`. */
void attr_print(struct buf *out, const struct sonde_attr *attr);

/* An object with every field that is not 0; docs/info-json.md. */
void attr_json(struct json *j, const struct sonde_attr *attr);

#endif
