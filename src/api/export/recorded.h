/* SPDX-License-Identifier: MIT */
/* recorded.h - the recordings of a profile that is exported: those of its options */
#ifndef API_EXPORT_RECORDED_H
#define API_EXPORT_RECORDED_H

#include "export/export.h"

/* Fills the members `recorded` and `baseline_recorded`. 0 or -SONDE_NOMEM; recorded_free() in either case. */
int recorded_find(struct export *x);
void recorded_free(struct export *x);

#endif
