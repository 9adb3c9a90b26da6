/* SPDX-License-Identifier: MIT */
/* options.h - the option table of `sonde stat`. */
#ifndef CLI_STAT_OPTIONS_H
#define CLI_STAT_OPTIONS_H

#include "cli/base/command.h"

extern const struct option_row stat_options[];

#endif
