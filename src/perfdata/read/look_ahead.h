/* SPDX-License-Identifier: MIT */
/* look_ahead.h - plain records that lie at hand, found while another thread does something else */
#ifndef PERFDATA_READ_LOOK_AHEAD_H
#define PERFDATA_READ_LOOK_AHEAD_H

#include "perfdata/read/walk.h"

void perfdata_walk_ahead(const struct walk *w, struct look_ahead *a);
void perfdata_walk_take_ahead(struct walk *w, const struct look_ahead *a);

#endif
