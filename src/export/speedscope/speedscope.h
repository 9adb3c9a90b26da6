/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_SPEEDSCOPE_SPEEDSCOPE_H
#define EXPORT_SPEEDSCOPE_SPEEDSCOPE_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. Needs a profile with `timed`. */
int export_speedscope(struct export *x);

#endif
