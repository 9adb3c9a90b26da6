/* SPDX-License-Identifier: MIT */
/* stack_ends.h - how the unwound stacks of an event ended, in words */
#ifndef EXPORT_STACK_ENDS_H
#define EXPORT_STACK_ENDS_H

#include "export/export.h"

/* "6000 unwound: 95.0% complete, 3.2% cut at 8192 copied bytes, ..."; nothing if no stack was unwound. */
void stack_ends_put(struct buf *b, const struct sonde_profile_event *event);

#endif
