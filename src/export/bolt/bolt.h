/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_BOLT_BOLT_H
#define EXPORT_BOLT_BOLT_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. The profile is as hot_code.h needs it. */
int export_bolt(struct export *x);

#endif
