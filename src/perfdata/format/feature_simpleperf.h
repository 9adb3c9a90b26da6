/* SPDX-License-Identifier: MIT */
/* feature_simpleperf.h - features of simpleperf: the symbols and the names of events in a recording */
#ifndef PERFDATA_FORMAT_FEATURE_SIMPLEPERF_H
#define PERFDATA_FORMAT_FEATURE_SIMPLEPERF_H

#include "perfdata/format/feature_payload.h"

int file_decode(struct cursor *c, struct meta *meta, struct arena *a);
int file2_decode(struct cursor *c, struct meta *meta, struct arena *a);
int meta_info_decode(struct cursor *c, struct meta *meta, struct arena *a);

#endif
