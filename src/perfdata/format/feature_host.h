/* SPDX-License-Identifier: MIT */
/* feature_host.h - features that describe the machine that recorded: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_HOST_H
#define PERFDATA_FORMAT_FEATURE_HOST_H

#include "perfdata/format/feature_payload.h"

FEATURE_CODEC(hostname);
FEATURE_PRINT(hostname);
FEATURE_CODEC(osrelease);
FEATURE_PRINT(osrelease);
FEATURE_CODEC(version);
FEATURE_PRINT(version);
FEATURE_CODEC(arch);
FEATURE_PRINT(arch);
FEATURE_CODEC(cpudesc);
FEATURE_PRINT(cpudesc);
FEATURE_CODEC(cpuid);
FEATURE_PRINT(cpuid);
FEATURE_CODEC(nrcpus);
FEATURE_PRINT(nrcpus);
FEATURE_CODEC(total_mem);
FEATURE_PRINT(total_mem);
FEATURE_CODEC(cmdline);
FEATURE_PRINT(cmdline);
FEATURE_CODEC(e_machine);
FEATURE_PRINT(e_machine);
FEATURE_CODEC(cln_size);
FEATURE_PRINT(cln_size);

#endif
