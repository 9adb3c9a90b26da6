/* SPDX-License-Identifier: MIT */
/* other_tools.h - the commands of perf and trace-cmd, and their counterparts in sonde */
#ifndef CLI_HELP_OTHER_TOOLS_H
#define CLI_HELP_OTHER_TOOLS_H

#include <stdbool.h>

struct other_command {
	const char *tool;            /* "perf" or "trace-cmd" */
	const char *name;
	/* "cut", or with the option that it needs, "record --ftrace"; several: "info, dump"; NULL: none yet */
	const char *here;
	const char *what;            /* its purpose, in a few words */
};

/* Every command of both tools; ends with a row of zeros. */
extern const struct other_command other_commands[];

/* Tells the counterpart of a command of perf or trace-cmd. False if neither tool has the command. */
bool other_tools_answer(const char *name);

#endif
