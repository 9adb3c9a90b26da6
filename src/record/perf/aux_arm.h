/* SPDX-License-Identifier: MIT */
/* aux_arm.h - hardware traces of Arm: the Statistical Profiling Extension (SPE), and CoreSight */
#ifndef RECORD_PERF_AUX_ARM_H
#define RECORD_PERF_AUX_ARM_H

#include "record/perf/aux_kind.h"

/* See struct aux_kind. */
uint64_t aux_arm_spe_period(const struct pmu *pmu);
int aux_arm_spe_complete(struct sonde_perf_recorder *r, struct event *e, const struct pmu *pmu);
size_t aux_arm_spe_info(const struct sonde_perf_recorder *r, const struct pmu *pmu, uint64_t *words, size_t max);
int aux_coresight_complete(struct sonde_perf_recorder *r, struct event *e, const struct pmu *pmu);
size_t aux_coresight_info(const struct sonde_perf_recorder *r, const struct pmu *pmu, uint64_t *words, size_t max);

#endif
