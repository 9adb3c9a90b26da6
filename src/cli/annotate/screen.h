/* SPDX-License-Identifier: MIT */
/* screen.h - `sonde annotate` on a terminal */
#ifndef CLI_ANNOTATE_SCREEN_H
#define CLI_ANNOTATE_SCREEN_H

#include <sonde/annotate.h>

/* Shows the function until the user quits. The exit status; -1: nothing was shown, so that text can say why. */
int annotate_screen(struct sonde_profile *p, const struct sonde_annotate_opts *opts);

#endif
