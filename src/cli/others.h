/* SPDX-License-Identifier: MIT */
/* others.h - commands of perf and trace-cmd, and what does the same here */
#ifndef CLI_OTHERS_H
#define CLI_OTHERS_H

#include <stdbool.h>

struct other_command {
	const char *tool;            /* "perf" or "trace-cmd" */
	const char *name;
	/* "cut" or, with what has to be added, "record --ftrace"; several: "info, dump"; NULL: not there yet */
	const char *here;
	const char *what;            /* it does, in a few words */
};

/* Every command of both tools; ends with a row of zeros. */
extern const struct other_command other_commands[];

/* Says what becomes of a command of theirs. False if neither has it. */
bool others_answer(const char *name);

#endif
