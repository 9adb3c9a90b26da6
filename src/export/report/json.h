/* SPDX-License-Identifier: MIT */
/* json.h - the report for programs; docs/report-json.md describes the members */
#ifndef EXPORT_REPORT_JSON_H
#define EXPORT_REPORT_JSON_H

#include "export/export.h"

/* Writes the profile to x->out: 1, 0 if there is nothing to write, or negative. */
int export_json(struct export *x);

#endif
