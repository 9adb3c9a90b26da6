/* SPDX-License-Identifier: MIT */
/* attr_text.h - an attr for people and for programs. */
#ifndef PERFDATA_FORMAT_ATTR_TEXT_H
#define PERFDATA_FORMAT_ATTR_TEXT_H

#include <sonde/event.h>

#include "base/json.h"

/* ", type = 1, size = 128, config = 0x9, ...": the fields that are not 0, in the words of `perf evlist -v`. */
void attr_print(struct buf *out, const struct sonde_attr *attr);

/*
 * "type: 1 (PERF_TYPE_SOFTWARE), size: 128, config: 0x9 (PERF_COUNT_SW_DUMMY), ...", as `perf evlist -v` prints it;
 * type and config also when 0
 * @pmu: name of the PMU whose number is the type, or of the one in the upper half of a generic config; NULL if not
 * known
 * @name: of the event: the one of a tracepoint goes with config
 */
void attr_list(struct buf *out, const struct sonde_attr *attr, const char *pmu, const char *name);

/* The same with a line for each field, as `perf record -vv` prints it. */
void attr_lines(struct buf *out, const struct sonde_attr *attr, const char *pmu, const char *name);

/* The number of the PMU that attr_list() wants the name of. */
uint32_t attr_pmu(const struct sonde_attr *attr);

/* An object with every field that is not 0; docs/info-json.md. */
void attr_json(struct json *j, const struct sonde_attr *attr);

#endif
