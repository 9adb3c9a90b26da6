/* SPDX-License-Identifier: MIT */
/* browser.h - `sonde top` on a terminal: rows to select and open, keys */
#ifndef CLI_TOP_BROWSER_H
#define CLI_TOP_BROWSER_H

#include "cli/top/live.h"

/* Until q or a signal. Returns the exit status; -1: the terminal is not known, nothing was shown. */
int top_browse(struct top_live *l);

#endif
