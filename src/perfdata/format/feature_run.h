/* SPDX-License-Identifier: MIT */
/* feature_run.h - features that describe the run of the recorder: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_RUN_H
#define PERFDATA_FORMAT_FEATURE_RUN_H

#include "perfdata/format/feature_payload.h"

FEATURE_PRINT(branch_stack);
FEATURE_PRINT(stat);
FEATURE_CODEC(auxtrace);
FEATURE_PRINT(auxtrace);
FEATURE_CODEC(sample_time);
FEATURE_PRINT(sample_time);
FEATURE_CODEC(clockid);
FEATURE_PRINT(clockid);
FEATURE_CODEC(dir_format);
FEATURE_PRINT(dir_format);
FEATURE_CODEC(compressed);
FEATURE_PRINT(compressed);
FEATURE_CODEC(clock_data);
FEATURE_PRINT(clock_data);

#endif
