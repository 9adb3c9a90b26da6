/* SPDX-License-Identifier: MIT */
/* cmd_top.c - shows where the time goes while it goes there */
#include <string.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/file_limit.h"
#include "cli/record/words.h"
#include "cli/stacks.h"
#include "cli/top/live.h"
#include "cli/top/options.h"
#include "cli/top/stop.h"
#include "cli/top/text.h"

static void print_message(void *ctx, const char *text)
{
	(void)ctx;
	say("%s", text);
}

static struct sonde_profile *new_profile(void)
{
	const struct sonde_profile_opts opts = {
		.sz = sizeof(opts), .symbols = &symbol_options, .callchains_if_any = true, .by = top_words.by,
		.max_stack = stack_limit(top_words.max_stack), .comms = selected.comms.at, .nr_comms = selected.comms.n,
	};

	return sonde_profile_new(&opts);
}

static int show(struct live *l)
{
	int status;

	stop_catch_signals(l->wake_fd);
	status = text_run(l);
	live_stop(l);
	return status == 0 && l->status < 0 ? say_error(NULL, &l->err) : status;
}

static int top_run(int argc, char **argv)
{
	struct sonde_perf_recorder_opts *opts = &record_words.opts;
	struct live live;
	int status;

	if (argc)
		return say_usage("there is no argument, as '%s'; -p PID and -t TID choose running tasks", argv[0]);
	status = top_settle();
	if (status)
		return status;
	opts->message = print_message;
	opts->more_files = raise_file_limit;
	status = live_start(&live, new_profile(), opts);
	live.hide_kernel = top_words.hide_kernel;
	live.hide_user = top_words.hide_user;
	live.drop_after_ns = (2 * top_words.delay_ms + 2000) * 1000000;
	if (status == 0)
		status = show(&live);
	live_free(&live);
	return status;
}

const struct command cmd_top = {
	.name = "top",
	.args = "",
	.help = "show where the time goes, live",
	.details = "Samples all CPUs, or the tasks and CPUs of the options, and shows the functions with most samples "
		   "first, anew every two seconds, until Ctrl-C. At each refresh the samples so far keep 7/8 of their "
		   "weight; with -z they are forgotten.\n"
		   "The heading tells samples per second, the share of the kernel, samples that the kernel lost "
		   "because a buffer was full, and samples that were dropped here to catch up: since the last "
		   "refresh, and altogether.",
	.options = top_options,
	.reads_no_trace = true,
	.run = top_run,
};
