/* SPDX-License-Identifier: MIT */
/* feature_run.h - features that describe the run of the recorder: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_RUN_H
#define PERFDATA_FORMAT_FEATURE_RUN_H

#include "perfdata/format/feature_payload.h"

int auxtrace_decode(struct cursor *c, struct meta *meta, struct arena *a);

FEATURE_PRINT(sample_time);
FEATURE_PRINT(clockid);
FEATURE_PRINT(dir_format);
FEATURE_PRINT(compressed);
FEATURE_PRINT(clock_data);
FEATURE_JSON(clock_data);

#endif
