/* SPDX-License-Identifier: MIT */
/* cmd_top.c - shows where the time goes while it goes there */
#include <stdio.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/file_limit.h"
#include "cli/base/keys.h"
#include "cli/base/stacks.h"
#include "cli/base/terminal.h"
#include "cli/record/words.h"
#include "cli/screen/stop.h"
#include "cli/top/browser.h"
#include "cli/top/live.h"
#include "cli/top/options.h"
#include "cli/top/text.h"

static bool on_screen;

static void print_message(void *ctx, const char *text)
{
	struct top_live *l = ctx;

	if (!on_screen) {
		say("%s", text);
		return;
	}
	pthread_mutex_lock(&l->lock);
	snprintf(l->notice, sizeof(l->notice), "%s", text);
	pthread_mutex_unlock(&l->lock);
}

/*
 * Without inlined functions: samples are counted with the lock held, so while the DWARF of a large program is read, the
 * screen would stand still and the kernel would lose samples.
 */
static struct sonde_profile *new_profile(void)
{
	struct sonde_profile_opts opts = {
		.sz = sizeof(opts), .symbols = &symbol_options, .mode = SONDE_PROFILE_STACKS_IF_ANY, .by = top_words.by,
		.max_stack = stack_limit(top_words.max_stack), .comms = selected.comms.at, .nr_comms = selected.comms.n,
	};

	report_graph_add(&top_words.graph, &opts);
	return sonde_profile_new(&opts);
}

/* A terminal that ncurses does not know shows text. */
static int browse(struct top_live *l)
{
#ifdef HAVE_NCURSES
	int status = top_browse(l);

	if (status >= 0)
		return status;
#endif
	on_screen = false;
	return text_run(l);
}

static int show(struct top_live *l)
{
	int status;

	stop_catch_signals(l->wake_fd);
	status = on_screen ? browse(l) : text_run(l);
	top_live_stop(l);
	return status == 0 && l->status < 0 ? say_error(NULL, &l->err) : status;
}

static int top_run(int argc, char **argv)
{
	struct sonde_perf_recorder_opts *opts = &record_words.opts;
	struct top_live live = { 0 };
	int status;

	if (argc)
		return say_usage("there is no argument, as '%s'; -p PID and -t TID choose running tasks", argv[0]);
	if (report_asks_columns(top_words.sort, top_words.fields))
		return report_list_columns(false);
	status = top_settle();
	if (status)
		return status;
	if (top_words.tui && terminal_lacks_screen())
		return say_usage("--tui: %s", terminal_lacks_screen());
	on_screen = !top_words.stdio && !top_words.iterations && !terminal_lacks_screen();
	if (on_screen)
		top_words.by |= SONDE_BY_CPU | SONDE_BY_SYMBOL_OFFSET;  /* for the keys s and a */
	opts->calls.message = print_message;
	opts->calls.ctx = &live;
	opts->calls.more_files = raise_file_limit;
	live.hide_kernel = top_words.hide_kernel;
	live.hide_user = top_words.hide_user;
	live.drop_after_ns = (2 * top_words.delay_ms + 2000) * 1000000;
	status = top_live_start(&live, new_profile(), opts);
	if (status == 0)
		status = show(&live);
	top_live_free(&live);
	return status;
}

static const struct example top_examples[] = {
	{ "sonde top -p $(pidof nginx) -g", "show where running processes spend their time, with call chains" },
	{ "sonde top --stdio -d 0.5 --iterations 2 -E 10 --sort comm,symbol",
	  "print the ten functions with most samples, twice" },
	{ 0 },
};

const struct command cmd_top = {
	.name = "top",
	.args = "",
	.help = "show where the time goes, live",
	.details = "Samples all CPUs, or the tasks and CPUs of the options, and shows the functions with most samples "
		   "first, anew every two seconds, until q or Ctrl-C. At each refresh the samples so far keep 7/8 of "
		   "their weight; with -z they are forgotten.\n"
		   "On a terminal there is a screen, with the keys of the browser of report: h shows them. With "
		   "--stdio, on a pipe and with TERM=dumb there is text.\n"
		   "The heading tells samples per second, the share of the kernel, samples that the kernel lost "
		   "because a buffer was full, and samples that were dropped here to catch up: since the last "
		   "refresh, and altogether.",
	.options = top_options,
	.keys = KEYS_TOP,
	.reads_no_trace = true,
	.examples = top_examples,
	.run = top_run,
};
