/* SPDX-License-Identifier: MIT */
/* report.h - a table of rows and the call trees below them, as `perf report --stdio` shows them */
#ifndef EXPORT_REPORT_REPORT_H
#define EXPORT_REPORT_REPORT_H

#include "export/export.h"

/* Writes the profile to x->out: 1, 0 if there is nothing to write, or negative. */
int export_report(struct export *x);

#endif
