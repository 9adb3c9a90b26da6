/* SPDX-License-Identifier: MIT */
/* feature_topology.h - features that describe CPUs, caches and memory of the machine: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_TOPOLOGY_H
#define PERFDATA_FORMAT_FEATURE_TOPOLOGY_H

#include "perfdata/format/feature_payload.h"

/* Names of domains came with this version of /proc/schedstat. */
#define SCHEDSTAT_WITH_NAMES 17

FEATURE_CODEC(cpu_topology);
FEATURE_PRINT(cpu_topology);
FEATURE_PRINT(numa_topology);
FEATURE_PRINT(cache);
FEATURE_PRINT(mem_topology);
FEATURE_JSON(mem_topology);
FEATURE_PRINT(hybrid_topology);
FEATURE_CODEC(cpu_domain_info);
FEATURE_PRINT(cpu_domain_info);

#endif
