/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_CALLGRIND_CALLGRIND_H
#define EXPORT_CALLGRIND_CALLGRIND_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. Lines need a profile with SONDE_BY_SRCLINE. */
int export_callgrind(struct export *x);

#endif
