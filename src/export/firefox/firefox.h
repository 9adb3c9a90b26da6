/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_FIREFOX_FIREFOX_H
#define EXPORT_FIREFOX_FIREFOX_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. Needs a profile with `timed`. */
int export_firefox(struct export *x);

#endif
