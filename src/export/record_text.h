/* SPDX-License-Identifier: MIT */
/* record_text.h - perf's words for a record of the side band or of losses, behind the name of its type */
#ifndef EXPORT_RECORD_TEXT_H
#define EXPORT_RECORD_TEXT_H

#include <sonde/event.h>

#include "base/buf.h"

/* " exec: dash:7808/7808", "(7823:7824):(7823:7823)": without a line's end. False: there are none for this type. */
bool record_text(struct buf *out, const struct sonde_event *ev);

#endif
