/* SPDX-License-Identifier: MIT */
/* host_pmus.h - the PMUs of this machine and their capabilities, for the metadata of a recording */
#ifndef RECORD_HOST_HOST_PMUS_H
#define RECORD_HOST_HOST_PMUS_H

#include "base/arena.h"
#include "model/meta.h"

/* As host_describe(): PMU_MAPPINGS, CPU_PMU_CAPS, PMU_CAPS, HYBRID_TOPOLOGY. */
void host_pmus_describe(struct meta *meta, struct arena *a, const char *sysfs);

#endif
