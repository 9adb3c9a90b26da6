/* SPDX-License-Identifier: MIT */
/* cmd_sched.c - when tasks ran, waited and were late */
#include "cli/base/analysis.h"

static const struct command *part_at(size_t i)
{
	return analysis_command("sched", i);
}

static int sched_run(int argc, char **argv)
{
	return analysis_missing("sched", argc, argv);
}

static const struct example sched_examples[] = {
	{ "sonde sched latency", "print how late each task of perf.data came to a CPU" },
	{ 0 },
};

const struct command cmd_sched = {
	.name = "sched",
	.args = "COMMAND [FILE]",
	.help = "show when tasks ran, waited and were late, as perf sched does",
	.details = "The trace needs each sched:sched_switch, and for delays sched:sched_waking or sched:sched_wakeup: "
		   "sonde record -a -e 'sched:*'. docs/sched-differences.md has the differences to perf.",
	.examples = sched_examples,
	.prints_a_lot = true,
	.part_at = part_at,
	.run = sched_run,
};
