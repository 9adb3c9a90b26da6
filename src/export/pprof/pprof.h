/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_PPROF_PPROF_H
#define EXPORT_PPROF_PPROF_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. */
int export_pprof(struct export *x);

#endif
