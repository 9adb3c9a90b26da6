/* SPDX-License-Identifier: MIT */
/* stock_scripts.h - the scripts that come with perf, and their counterparts in sonde */
#ifndef CLI_SCRIPT_STOCK_SCRIPTS_H
#define CLI_SCRIPT_STOCK_SCRIPTS_H

#include <stdbool.h>

/*
 * Whether the words of `script` name a script of perf's, as NAME, "report NAME" or "record NAME", and no file. Tells
 * its counterpart then.
 */
bool stock_scripts_answer(int argc, char **argv);

#endif
