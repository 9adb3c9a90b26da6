/* SPDX-License-Identifier: MIT */
/* record_options.h - the options of `sonde record`: their table, and what they mean together */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include "cli/command.h"

extern const struct option_row record_options[];

/* Checks and completes the options once all words are read. 0, or the exit status after a message. */
int record_settle(void);

#endif
