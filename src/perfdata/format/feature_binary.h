/* SPDX-License-Identifier: MIT */
/* feature_binary.h - features that describe the binaries that ran: their codecs */
#ifndef PERFDATA_FORMAT_FEATURE_BINARY_H
#define PERFDATA_FORMAT_FEATURE_BINARY_H

#include "perfdata/format/feature_payload.h"

FEATURE_CODEC(build_id);
FEATURE_CODEC(bpf_prog_info);
FEATURE_PRINT(bpf_prog_info);
FEATURE_PRINT(bpf_btf);

#endif
