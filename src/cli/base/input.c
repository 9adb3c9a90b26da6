/* SPDX-License-Identifier: MIT */
#include "cli/base/command.h"

const char *input_path(const char *option, int argc, char **argv)
{
	if (argc + (option != NULL) > 1) {
		say_usage("one trace at a time, '%s' is too many", argv[argc - 1]);
		return NULL;
	}
	if (option)
		return option;
	return argc == 1 ? argv[0] : "perf.data";
}
