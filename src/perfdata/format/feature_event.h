/* SPDX-License-Identifier: MIT */
/* feature_event.h - features that describe the events and the PMUs they are of: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_EVENT_H
#define PERFDATA_FORMAT_FEATURE_EVENT_H

#include "perfdata/format/feature_payload.h"

FEATURE_CODEC(event_desc);
FEATURE_PRINT(event_desc);
FEATURE_PRINT(group_desc);
FEATURE_PRINT(pmu_mappings);
FEATURE_PRINT(cpu_pmu_caps);
FEATURE_PRINT(pmu_caps);

#endif
