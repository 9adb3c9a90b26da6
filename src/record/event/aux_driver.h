/* SPDX-License-Identifier: MIT */
/* aux_driver.h - the drivers whose events write a hardware trace, by the names of their PMUs */
#ifndef RECORD_EVENT_AUX_DRIVER_H
#define RECORD_EVENT_AUX_DRIVER_H

enum aux_driver { AUX_NONE, AUX_INTEL_PT, AUX_INTEL_BTS, AUX_ARM_SPE, AUX_CORESIGHT, AUX_HISI_PTT, NR_AUX_DRIVERS };

/* AUX_NONE: the events of the PMU write no hardware trace. @pmu may be NULL. */
enum aux_driver aux_driver_of(const char *pmu);

#endif
