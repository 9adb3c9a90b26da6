/* SPDX-License-Identifier: MIT */
/* cmd_version.c - prints the version of sonde */
#include <stdio.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"

static const struct option_row version_options[] = {
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int version_run(int argc, char **argv)
{
	if (argc > 0)
		return say_usage("this command takes no argument, not '%s'", argv[0]);
	printf("sonde version %s\n", sonde_version());
	return 0;
}

static const struct example version_examples[] = {
	{ "sonde version", "print the version of sonde" },
	{ 0 },
};

const struct command cmd_version = {
	.name = "version",
	.help = "print the version of sonde",
	.options = version_options,
	.reads_no_trace = true,
	.examples = version_examples,
	.run = version_run,
};
