/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_OTLP_OTLP_H
#define EXPORT_OTLP_OTLP_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. Needs a profile with `timed`. */
int export_otlp(struct export *x);

#endif
