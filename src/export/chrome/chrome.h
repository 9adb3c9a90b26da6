/* SPDX-License-Identifier: MIT */
/* chrome.h - the events of a trace as Chrome's trace event JSON, for chrome://tracing, Perfetto and speedscope */
#ifndef EXPORT_CHROME_CHROME_H
#define EXPORT_CHROME_CHROME_H

#include "export/events/event_rows.h"

int export_chrome(struct event_rows *e);

#endif
