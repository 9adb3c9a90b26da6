/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_AUTOFDO_AUTOFDO_H
#define EXPORT_AUTOFDO_AUTOFDO_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. The profile is as hot_code.h needs it. */
int export_autofdo(struct export *x);

#endif
