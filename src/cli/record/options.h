/* SPDX-License-Identifier: MIT */
/* options.h - the table of options of `sonde record`, and their combined meaning */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include "cli/command.h"

extern const struct option_row record_options[];

/* Checks and completes the options after all words have been read. 0, or the exit status after a message. */
int record_settle(void);

#endif
