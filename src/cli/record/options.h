/* SPDX-License-Identifier: MIT */
/* options.h - the table of options of `sonde record`, and their combined meaning */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

#include "cli/base/command.h"

extern const struct option_row record_options[];

/*
 * Checks and completes the options after all words have been read. @has_command: a command is recorded. 0, or the exit
 * status after a message.
 */
int record_settle(bool has_command);

#endif
