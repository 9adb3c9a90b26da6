/* SPDX-License-Identifier: MIT */
/* check_layout.h - the rules that hold between the parts of a file */
#ifndef PERFDATA_SCAN_CHECK_LAYOUT_H
#define PERFDATA_SCAN_CHECK_LAYOUT_H

#include "perfdata/scan/layout.h"

/* For a file, not a stream; 0 or negative. */
int check_layout(const struct layout *l, struct findings *f, struct sonde_error *err);

/* Whether events agree on where records have their ids; once all of them are known. */
void check_events(const struct layout *l, struct findings *f);

#endif
