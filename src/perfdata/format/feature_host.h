/* SPDX-License-Identifier: MIT */
/* feature_host.h - features that describe the machine that recorded: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_HOST_H
#define PERFDATA_FORMAT_FEATURE_HOST_H

#include "perfdata/format/feature_payload.h"

int nrcpus_decode(struct cursor *c, struct meta *meta, struct arena *a);

FEATURE_PRINT(nrcpus);
FEATURE_PRINT(total_mem);
FEATURE_PRINT(cmdline);
FEATURE_PRINT(e_machine);
FEATURE_PRINT(cln_size);

#endif
