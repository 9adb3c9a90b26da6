/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_SVG_SVG_H
#define EXPORT_SVG_SVG_H

#include "export/export.h"

/* 1, 0 if no sample was left to write, or the failure. */
int export_svg(struct export *x);

#endif
