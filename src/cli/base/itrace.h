/* SPDX-License-Identifier: MIT */
/* itrace.h - perf's options about the decoding of hardware traces, which scripts pass for every recording */
#ifndef CLI_BASE_ITRACE_H
#define CLI_BASE_ITRACE_H

#include <sonde/trace.h>

#include "cli/base/command.h"

/* Rows for a command's table. */
#define ITRACE_ROWS \
	{ "itrace", 0, OPTION_CALL, .call = itrace_choose, .arg = "WORDS", .optional = true, \
	  .help = "accepted: hardware traces are not decoded" }, \
	{ "no-itrace", 0, OPTION_CALL, .call = itrace_choose_not, \
	  .help = "accepted: hardware traces are not decoded" }

/* @arg: perf's letters, "i100us,g16,e-o"; NULL: perf's default */
int itrace_choose(const char *arg);
int itrace_choose_not(const char *arg);

/* Says that nothing is decoded, if --itrace was given and the trace has a hardware trace. */
void itrace_say_not_decoded(const struct sonde_trace *t);

#endif
