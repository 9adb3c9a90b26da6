/* SPDX-License-Identifier: MIT */
#include "record/event/aux_driver.h"

#include <string.h>

/* The beginning of the names of a driver's PMUs. */
static const char *const beginnings[NR_AUX_DRIVERS] = {
	[AUX_INTEL_PT] = "intel_pt",
	[AUX_INTEL_BTS] = "intel_bts",
	[AUX_ARM_SPE] = "arm_spe_",
	[AUX_CORESIGHT] = "cs_etm",
	[AUX_HISI_PTT] = "hisi_ptt",
};

enum aux_driver aux_driver_of(const char *pmu)
{
	for (enum aux_driver d = AUX_NONE + 1; pmu && d < NR_AUX_DRIVERS; d++)
		if (!strncmp(pmu, beginnings[d], strlen(beginnings[d])))
			return d;
	return AUX_NONE;
}
